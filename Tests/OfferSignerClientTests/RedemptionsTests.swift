import FakeServer
import Foundation
import Testing

@testable import OfferSignerClient

// As docs/clients.md shows it, which a test compares.
func printRedemptions(of offers: OfferSigner, cursor: URL) async throws {
    let known = try? String(contentsOf: cursor, encoding: .utf8)
    let page = try await offers.redemptions(after: known, wait: 10)
    for redemption in page.redemptions {
        print(redemption.originalTransactionId, redemption.offerId, redemption.begins)
    }
    try page.next.write(to: cursor, atomically: true, encoding: .utf8)
}

@Suite("Redemptions, as the client reads them")
struct RedemptionsTests {
    @Test("A page is asked for with the cursor of the one before, and read with what is known of each redemption")
    func page() async throws {
        let json = #"""
            {"redemptions":[{"offerId":"o","productId":"p","environment":"Production","originalTransactionId":"1",
            "transactionId":"2","redeemedAt":"2026-11-22T05:41:28Z","begins":"now","price":"4.99","currency":"EUR",
            "storefront":"DEU","nonce":"n","from":"apple"},{"offerId":"o","productId":"p","environment":"Sandbox",
            "originalTransactionId":"3","begins":"next_renewal","from":"elsewhere","more":1}],"next":"c2"}
            """#
        let service = try ScriptedService(.init(200, json))
        let page = try await service.client().redemptions(after: "c1", limit: 7, wait: 10, bundleId: "b")
        #expect(service.requests.map(\.path) == ["/v1/redemptions?bundleId=b&after=c1&limit=7&wait=10"])
        #expect(page.next == "c2")
        #expect(page.redemptions.map(\.price) == ["4.99", nil])
        #expect(page.redemptions[0].redeemedAt == Date(timeIntervalSince1970: 1_795_326_088))
        #expect(page.redemptions[1].from == "elsewhere")
    }

    @Test("A first page is asked for since a moment, in place of a cursor, in whole seconds that are not after it")
    func since() async throws {
        let service = try ScriptedService(.init(200, #"{"redemptions":[],"next":"c1"}"#))
        let moment = Date(timeIntervalSince1970: 1_795_326_088.9)
        let page = try await service.client().redemptions(since: moment, limit: 7)
        #expect(service.requests.map(\.path) == ["/v1/redemptions?since=2026-11-22T05%3A41%3A28Z&limit=7&wait=0"])
        #expect(page.next == "c1")
    }
}
