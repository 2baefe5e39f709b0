import Foundation
import Offers
import Testing

@testable import AppStoreSimulator

@Suite("The Server API's answers")
struct ServerAPITests {
    private func api(_ world: AppStoreWorld) throws -> ServerAPI {
        ServerAPI(app: world.app, environment: .production, world: world, signer: try TestStore.signing())
    }

    private func anyId(_ world: AppStoreWorld) throws -> String {
        try #require(world.customer("c")?.transactions.first?.transactionId)
    }

    @Test("Statuses are those that are asked for, by Apple's numbers")
    func statuses() throws {
        let world = try TestStore.world(
            "[{ name: c, subscriptions: [{ product: monthly, state: active }, { product: audio, state: billingRetry }] }]"
        )
        let api = try api(world)
        for (statuses, count) in [([], 2), (["3", "4"], 1)] as [([String], Int)] {
            let answer = try JSON.object(try api.subscriptionStatuses(try anyId(world), statuses: statuses))
            #expect((answer["data"] as? [Any])?.count == count)
        }
        #expect(throws: ServerAPIError.invalidStatus) {
            try api.subscriptionStatuses(try anyId(world), statuses: ["6"])
        }
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
