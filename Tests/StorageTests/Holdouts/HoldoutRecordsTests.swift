import Offers
import Testing

@testable import Storage

@Suite("The record of customers who would have been eligible for an offer with a holdout")
struct HoldoutRecordsTests {
    private static let app = "com.example.reader"
    private static let spring = HoldoutName(bundleId: app, name: "spring26")

    private func customer(
        _ account: AccountDigest,
        heldOut isHeldOut: Bool,
        subscription id: String? = nil
    ) -> HoldoutCustomer {
        let drawn = DrawnCustomer(
            name: Self.spring.name,
            customer: account,
            originalTransactionId: id,
            isHeldOut: isHeldOut
        )
        return HoldoutCustomer(drawn, bundleId: Self.app, environment: .production)
    }

    /// Notes customers as a service does that stops then.
    private func note(_ customers: [HoldoutCustomer], in fixture: LedgerFixture) throws {
        let holdouts = try fixture.journal()
        for customer in customers { holdouts.record(customer) }
        holdouts.close()
        #expect(holdouts.statisticsWarning == nil)
    }

    private func arms(_ fixture: LedgerFixture) async throws -> HoldoutArms {
        try await fixture.database(readOnly: true).holdoutArms(in: .production)[Self.spring] ?? HoldoutArms()
    }

    @Test(
        "A customer counts once, in the arm of the first time, whichever service comes first",
        arguments: LedgerHome.allCases
    )
    func once(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        try note([customer(digest(1), heldOut: false), customer(digest(2), heldOut: true)], in: fixture)
        try note([customer(digest(1), heldOut: true), customer(digest(3), heldOut: true)], in: fixture)
        let arms = try await arms(fixture)
        #expect(arms.offered.customers == 1)
        #expect(arms.heldOut.customers == 2)
        #expect(try await fixture.database(readOnly: true).holdoutArms(in: .sandbox).isEmpty)
    }

    @Test("Those have bought since who paid after the first time and were not refunded", arguments: LedgerHome.allCases)
    func bought(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try fixture.states()
        func later(_ seconds: Int64) -> Timestamp { fixture.now.adding(seconds: seconds) }
        // By the account, before and after; refunded; and of a subscription that no account is known of.
        try states.learn(
            seen(subscription("1", of: digest(1), transactionId: "1", bought: later(60))),
            seen(subscription("2", of: digest(2), transactionId: "2", bought: later(-60))),
            seen(subscription("3", of: digest(3), transactionId: "3", refunded: true, bought: later(60))),
            seen(subscription("4", of: nil, transactionId: "4", bought: later(60)))
        )
        try note(
            [
                customer(digest(1), heldOut: true), customer(digest(2), heldOut: true),
                customer(digest(3), heldOut: true), customer(digest(4), heldOut: false, subscription: "4"),
                customer(digest(5), heldOut: false, subscription: "nothing is held of it"),
            ],
            in: fixture
        )
        let arms = try await arms(fixture)
        #expect(arms.heldOut == HoldoutComparison.Arm(customers: 3, buyers: 1))
        #expect(arms.offered == HoldoutComparison.Arm(customers: 2, buyers: 1))
    }

    @Test(
        "Those to whom Apple gave a retention offer since, without a signature, are counted",
        arguments: LedgerHome.allCases
    )
    func given(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try fixture.states()
        func later(_ seconds: Int64) -> Timestamp { fixture.now.adding(seconds: seconds) }
        func taken(_ id: String, _ offer: RedeemedOffer, _ seconds: Int64) -> Chapter {
            let account = digest(UInt8(id) ?? 0)
            return subscription(id, of: account, transactionId: id, offer: offer, bought: later(seconds))
        }
        try states.learn(
            seen(taken("1", .retention("stay30"), 60)),
            seen(taken("2", .retention("stay30"), -60)),
            seen(taken("3", .promotional("stay30"), 60)),
            seen(taken("4", .retention("stay30"), 60))
        )
        try note(
            [
                customer(digest(1), heldOut: true), customer(digest(2), heldOut: true),
                customer(digest(3), heldOut: true), customer(digest(4), heldOut: false),
            ],
            in: fixture
        )
        let arms = try await arms(fixture)
        #expect(arms.heldOut.givenByApple == 1 && arms.offered.givenByApple == 1)
        let figures = try fixture.database(readOnly: true)
            .funnelFigures(of: FunnelPeriod(since: nil, until: nil), in: .production)
        let given = figures.redemptions.filter(\.key.isGivenByApple).values.reduce(0, +)
        #expect(given == 3 && figures.redemptions.values.reduce(0, +) == 4)
    }

    @Test("Customers are deleted when they are old, by a clock that is right", arguments: LedgerHome.allCases)
    func old(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        try note([customer(digest(1), heldOut: true)], in: fixture)
        for (days, isClockRight, kept) in [(29, true, 1), (31, false, 1), (31, true, 0)] {
            let later = fixture.now.adding(days: days)
            let journal = try fixture.journal(retentionDays: 30, isClockRight: isClockRight, at: later)
            // It deletes within its first seconds.
            try await Task.sleep(for: .seconds(kept == 0 ? 0 : 2))
            try await wait { try await arms(fixture).heldOut.customers == kept }
            journal.close()
        }
    }

    @Test(
        "A customer who is forgotten is deleted, also where the subscription alone was drawn",
        arguments: LedgerHome.allCases
    )
    func forgotten(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let account = testDigestKey.digest(of: "anna", bundleId: Self.app)
        try fixture.states().learn(seen(subscription("1", of: account)))
        let own = testDigestKey.digest(ofCustomer: nil, originalTransactionId: "1", bundleId: Self.app)
        let other = testDigestKey.digest(ofCustomer: "bob", originalTransactionId: nil, bundleId: Self.app)
        let customers = [account, own, other].map { customer($0, heldOut: false, subscription: "1") }
        let holdouts = try fixture.journal()
        for customer in customers { holdouts.record(customer) }
        _ = try await holdouts.erase(stored("anna", of: Self.app))
        #expect(try await arms(fixture).offered.customers == 1)
        // By the subscription, whoever was drawn by it.
        let app = App(bundleId: Self.app, subscriptionGroups: [])
        _ = try await holdouts.erase(StoredCustomer(originalTransactionId: "1", of: app, by: testDigestKey))
        #expect(try await arms(fixture).offered.customers == 0)
        holdouts.close()
    }
}
