import LedgerFixtures
import Testing

@testable import Offers
@testable import Storage

@Suite("The age of redemptions and held subscriptions")
struct KeptStatesTests {
    private static func ended(
        _ id: String,
        daysAgo: Int,
        renews: Bool = false,
        offer: RedeemedOffer? = nil,
        refunded: Bool = false
    ) -> Chapter {
        let end = clock.adding(days: -daysAgo)
        let account = digest(1).pseudonym
        var purchase = Transaction(id, in: "1", from: end.adding(days: -30), until: end, by: account, under: offer)
        purchase.revocationDate = refunded ? end.adding(days: -1) : nil
        purchase.revocation = refunded ? Revocation(.full, percentage: nil) : nil
        let said = end.adding(days: -2)
        let renewal = RenewalInfo(originalTransactionId: id, productId: "monthly", autoRenewStatus: renews)
        return Chapter(
            identity(id),
            transactions: [Statement(purchase, asOf: said, by: .signature)],
            renewal: Statement(renewal, asOf: said, by: .signature),
            accounts: [digest(1): .bought]
        )
    }

    private static func store(_ fixture: LedgerFixture, days: Int? = nil) throws -> StateStore {
        StateStore(try fixture.database(), digestKey: testDigestKey, retentionDays: days) { clock }
    }

    @Test("Subscriptions that surely ended are deleted, and none that a rule may need", arguments: LedgerHome.allCases)
    func endedSubscriptions(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let states = try Self.store(fixture)
        try states.learn(
            seen(Self.ended("1", daysAgo: 400), mark: allKnown()),
            seen(Self.ended("2", daysAgo: 300)),
            seen(Self.ended("3", daysAgo: 400, renews: true)),
            seen(Self.ended("4", daysAgo: 400, offer: .promotional("comeback50"))),
            seen(Self.ended("5", daysAgo: 400, refunded: true))
        )
        var look = EndedLook()
        let limit = clock.adding(days: -365)
        #expect(try !states.deleteEnded(before: limit, &look, at: clock))
        #expect(
            try fixture.rows("SELECT original_transaction_id FROM held_subscriptions ORDER BY 1") == [
                "2", "3", "4", "5",
            ]
        )
        // Without the mark, nobody may say that the customer never subscribed.
        #expect(
            try fixture.rows("SELECT original_transaction_id FROM held_accounts ORDER BY 1") == ["2", "3", "4", "5"]
        )
        // They are looked through once a day.
        try states.learn(seen(Self.ended("6", daysAgo: 400)))
        #expect(try !states.deleteEnded(before: limit, &look, at: clock.adding(seconds: 3600)))
        #expect(try fixture.rows("SELECT COUNT(*) FROM held_subscriptions") == ["5"])
        #expect(try !states.deleteEnded(before: limit, &look, at: clock.adding(days: 1)))
        #expect(try fixture.rows("SELECT COUNT(*) FROM held_subscriptions") == ["4"])
    }

    @Test("Redemptions that are too old are deleted, and not told again", arguments: LedgerHome.allCases)
    func redemptions(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let all = [
            Self.ended("1", daysAgo: 400, offer: .promotional("a")),
            Self.ended("2", daysAgo: 10, offer: .promotional("a")),
        ]
        try Self.store(fixture).learn(seen(all[0]), seen(all[1]))
        let states = try Self.store(fixture, days: 365)
        let limit = clock.adding(days: -365)
        #expect(try states.deleteRedemptions(before: limit) == 1)
        #expect(try states.deleteRedemptions(before: limit) == 0)
        // Another account of the subscription has its redemptions written anew.
        var again = all[0]
        again.join(Chapter(identity("1"), accounts: [digest(2): .presented(at: clock)]))
        try states.learn(seen(again))
        #expect(try fixture.rows("SELECT original_transaction_id FROM redemptions") == ["2"])
    }

    @Test("A feed begins at the first redemption that was stored since a moment", arguments: LedgerHome.allCases)
    func since(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let database = try fixture.database()
        for day in 0..<4 {
            let time = clock.adding(days: day)
            let states = StateStore(database, digestKey: testDigestKey) { time }
            try states.learn(seen(Self.ended("\(day + 1)", daysAgo: 10, offer: .promotional("a"))))
        }
        // A later word on the first one stores it anew, and not since.
        let later = StateStore(database, digestKey: testDigestKey) { clock.adding(days: 9) }
        try later.learn(seen(Self.ended("1", daysAgo: 9, offer: .promotional("a"))))
        let feed = DurableRedemptions(database)
        func position(_ app: String = "com.example.reader", since days: Int) async throws -> Int64 {
            try await feed.position(of: app, before: clock.adding(days: days))
        }
        #expect(try await position(since: 0) == 0)
        #expect(try await position(since: 2) == 2)
        #expect(try await position(since: 4) == 4)
        #expect(try await position("other", since: 0) == 4)
    }
}
