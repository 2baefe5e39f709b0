import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("The Server API's answers")
struct ServerAPITests {
    private func api(_ world: AppStoreWorld, _ environment: AppStoreEnvironment = .production) throws -> ServerAPI {
        ServerAPI(app: world.app, environment: environment, world: world, signer: try TestStore.signing())
    }

    private func anyId(_ world: AppStoreWorld) throws -> String {
        try #require(world.customer("c")?.transactions.first?.transactionId)
    }

    @Test("All subscriptions of the customer, by group, whichever transaction is asked for")
    func statuses() throws {
        let world = try TestStore.world(
            "[{ name: c, subscriptions: [{ product: monthly, state: active }, { product: audio, state: billingRetry }] }]"
        )
        let customer = try #require(world.customer("c"))
        for id in customer.transactions.map(\.transactionId) + [customer.appTransactionId] {
            let answer = try JSON.object(try api(world).subscriptionStatuses(id, statuses: []))
            #expect(answer["bundleId"] as? String == "com.example.app")
            #expect(answer["appAppleId"] as? Int == 77)
            let data = try #require(answer["data"] as? [[String: Any]])
            #expect(data.map { $0["subscriptionGroupIdentifier"] as? String } == ["100", "200"])
            let items = data.compactMap { ($0["lastTransactions"] as? [[String: Any]])?.first }
            #expect(items.map { $0["status"] as? Int } == [1, 3])
            let renewal = try JSON.part(1, of: try #require(items[1]["signedRenewalInfo"] as? String))
            #expect(renewal["isInBillingRetryPeriod"] as? Bool == true)
            #expect(renewal["bundleId"] == nil)
            #expect(renewal["subscriptionGroupIdentifier"] == nil)
            #expect(renewal["originalTransactionId"] as? String == items[1]["originalTransactionId"] as? String)
        }
        let only = try JSON.object(try api(world).subscriptionStatuses(try anyId(world), statuses: ["3", "4"]))
        #expect((only["data"] as? [Any])?.count == 1)
    }

    @Test(
        "A revocation says how much was refunded, or that nobody was",
        arguments: [
            ("refunded", "REFUND_FULL", 100_000, "PURCHASED"),
            ("refunded, revocationPercentage: 40000", "REFUND_PRORATED", 40_000, "PURCHASED"),
            ("familyRevoked", "FAMILY_REVOKE", nil, "FAMILY_SHARED"),
            ("assignmentRevoked", "ASSIGNMENT_REVOKE", nil, "ASSIGNED"),
        ] as [(String, String, Int?, String)]
    )
    func revocations(state: String, type: String, percentage: Int?, ownership: String) throws {
        let world = try TestStore.world(state: state)
        let answer = try JSON.object(try api(world).transactionInfo(try anyId(world)))
        let payload = try JSON.part(1, of: try #require(answer["signedTransactionInfo"] as? String))
        #expect(payload["revocationType"] as? String == type)
        #expect(payload["revocationPercentage"] as? Int == percentage)
        #expect(payload["revocationDate"] != nil)
        #expect(payload["inAppOwnershipType"] as? String == ownership)
    }

    @Test(
        "Win-back offers are named once the subscription has expired, the best first",
        arguments: [("lapsed", ["b", "a"]), ("active", nil), ("billingRetry", nil)] as [(String, [String]?)]
    )
    func winBack(state: String, ids: [String]?) throws {
        let world = try TestStore.world(state: state, more: ", eligibleWinBackOfferIds: [b, a]")
        let answer = try JSON.object(try api(world).subscriptionStatuses(try anyId(world), statuses: []))
        let group = try #require((answer["data"] as? [[String: Any]])?.first)
        let item = try #require((group["lastTransactions"] as? [[String: Any]])?.first)
        let renewal = try JSON.part(1, of: try #require(item["signedRenewalInfo"] as? String))
        #expect(renewal["eligibleWinBackOfferIds"] as? [String] == ids)
    }

    @Test("A retention offer has its own number in transaction and renewal info")
    func retention() throws {
        let world = try TestStore.world(state: "active", more: ", redeemed: [half], retentionOffer: keep")
        let customer = try #require(world.customer("c"))
        let payloads = Payloads(world.app, customer, signedDate: world.clock.now)
        let signed = try customer.transactions.map { try JSON.object(payloads.transaction($0)) }
        #expect(signed.map { $0["offerType"] as? Int } == [5, 2])
        #expect(signed.map { $0["offerIdentifier"] as? String } == ["keep", "half"])
        let subscription = try #require(customer.subscriptions.first)
        let renewal = try JSON.object(payloads.renewal(subscription))
        #expect(renewal["offerType"] as? Int == 5)
        #expect(renewal["renewalPrice"] as? Int == 5990)
    }

    @Test("Malformed and unknown ids are errors")
    func unknown() throws {
        let world = try TestStore.world(state: "active")
        let (production, sandbox) = (try api(world), try api(world, .sandbox))
        for id in ["abc", "", "12a", "-1", String(repeating: "1", count: 33)] {
            #expect(throws: ServerAPIError.invalidTransactionId) { try production.transactionInfo(id) }
        }
        #expect(throws: ServerAPIError.transactionIdNotFound) { try production.transactionInfo("1") }
        #expect(throws: ServerAPIError.transactionIdNotFound) { try sandbox.transactionInfo(try anyId(world)) }
        #expect(throws: ServerAPIError.invalidStatus) {
            try production.subscriptionStatuses(try anyId(world), statuses: ["6"])
        }
        #expect(ServerAPIError.transactionIdNotFound.status == 404)
        #expect(ServerAPIError.injected(4_290_000).status == 429)
    }

    @Test("The history comes in pages, each transaction once, in either order")
    func history() throws {
        let world = try TestStore.world(state: "active", more: ", periods: 45")
        let expected = try #require(world.customer("c")).transactions.map(\.transactionId)
        for (sort, ids) in [(nil, expected.reversed()), ("DESCENDING", expected)] as [(String?, [String])] {
            var found: [String] = []
            var revision: String?
            var pages = 0
            while pages < 10 {
                let page = try JSON.object(try api(world).history(expected[7], revision: revision, sort: sort))
                for jws in try #require(page["signedTransactions"] as? [String]) {
                    found.append(try #require(try JSON.part(1, of: jws)["transactionId"] as? String))
                }
                revision = page["revision"] as? String
                pages += 1
                if page["hasMore"] as? Bool == false { break }
            }
            #expect(pages == 3)
            #expect(found == ids)
        }
        #expect(throws: ServerAPIError.invalidRevision) {
            try api(world).history(expected[0], revision: "x", sort: nil)
        }
        #expect(throws: ServerAPIError.invalidSort) { try api(world).history(expected[0], revision: nil, sort: "UP") }
    }

    @Test(
        "The history has what is asked for",
        arguments: [
            ([], 5), ([("productId", "monthly")], 3), ([("productId", "monthly"), ("productId", "audio")], 5),
            ([("productId", "none")], 0), ([("productType", "AUTO_RENEWABLE")], 5),
            ([("productType", "CONSUMABLE")], 0),
            ([("productType", "CONSUMABLE"), ("productType", "AUTO_RENEWABLE")], 5), ([("revoked", "true")], 1),
            ([("revoked", "false")], 4), ([("revoked", "False")], 4), ([("revoked", "True")], 1),
            ([("subscriptionGroupIdentifier", "200")], 2),
            ([("inAppOwnershipType", "PURCHASED")], 5), ([("inAppOwnershipType", "FAMILY_SHARED")], 0),
            ([("inAppOwnershipType", "ASSIGNED")], 0),
            ([("startDate", "0"), ("endDate", "1")], 0), ([("startDate", "0")], 5), ([("endDate", "0")], 0),
            ([("somethingNew", "x")], 5),
        ] as [([(String, String)], Int)]
    )
    func filters(query: [(String, String)], count: Int) throws {
        let world = try TestStore.world(
            """
            [{ name: c, subscriptions: [{ product: monthly, state: refunded, periods: 3 },
             { product: audio, state: active, periods: 2 }] }]
            """
        )
        let filter = try HistoryFilter(query)
        let page = try JSON.object(try api(world).history(try anyId(world), revision: nil, sort: nil, filter: filter))
        #expect((page["signedTransactions"] as? [Any])?.count == count)
        #expect(page["hasMore"] as? Bool == false)
    }

    @Test(
        "A filter that is none of Apple's is refused with Apple's number",
        arguments: [
            ("productType", "Subscription", 4_000_022), ("productId", "", 4_000_023),
            ("subscriptionGroupIdentifier", "", 4_000_024), ("inAppOwnershipType", "MINE", 4_000_026),
            ("revoked", "1", 4_000_030), ("startDate", "today", 4_000_015), ("endDate", "", 4_000_016),
        ] as [(String, String, Int64)]
    )
    func badFilters(name: String, value: String, code: Int64) {
        let error = #expect(throws: ServerAPIError.self) { try HistoryFilter([(name, value)]) }
        #expect(error?.code == code)
        #expect(throws: ServerAPIError.startDateAfterEndDate) {
            try HistoryFilter([("startDate", "2"), ("endDate", "1")])
        }
    }
}
