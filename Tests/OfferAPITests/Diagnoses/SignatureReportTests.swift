import Offers
import StrictJSON
import Testing

@testable import OfferAPI

@Suite("The body of a diagnosis")
struct SignatureReportTests {
    private static let token = "7e3fb20b-4cdb-47cc-936d-99d65f608138"

    private func read(_ members: String = "", signature: String = "MEUC") throws(JSONFault) -> SignatureReport {
        let json = #"""
            {"bundleId":"b","keyIdentifier":"K","productId":"p","offerId":"o","nonce":"n","timestamp":1,
            "signature":"\#(signature)"\#(members)}
            """#
        return try SignatureReport(json: Array(json.utf8))
    }

    @Test("An empty username is what an app without one gives StoreKit: no account")
    func accounts() throws {
        #expect(try read().account == .none)
        #expect(try read(#","applicationUsername":"""#).account == .none)
        #expect(try read(#","applicationUsername":"a""#).account == .applicationUsername("a"))
        let token = try #require(AppAccountToken(Self.token))
        #expect(try read(#","appAccountToken":"\#(Self.token)""#).account == .appAccountToken(token))
        let fault = #expect(throws: JSONFault.self) {
            try read(#","appAccountToken":"\#(Self.token)","applicationUsername":"a""#)
        }
        #expect(fault?.pointer == "/applicationUsername")
    }

    @Test("Texts have 4096 bytes, and no more")
    func tooLong() throws {
        #expect(try read(signature: String(repeating: "A", count: 4096)).signature.utf8.count == 4096)
        let fault = #expect(throws: JSONFault.self) { try read(signature: String(repeating: "A", count: 4097)) }
        #expect(fault?.pointer == "/signature")
    }
}
