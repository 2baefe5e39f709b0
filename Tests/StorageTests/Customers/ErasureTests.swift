import LedgerFixtures
import Offers
import Testing

@testable import Storage

@Suite("A customer who is forgotten, and what is shown of one")
struct ErasureTests {
    private static let app = App(bundleId: "com.example.reader", subscriptionGroups: [])

    private static func customer(of id: String) -> StoredCustomer {
        StoredCustomer(originalTransactionId: id, of: app, by: testDigestKey)
    }

    private static func redeemed(_ id: String, of account: AccountDigest?) -> Chapter {
        subscription(id, of: account, transactionId: id, offer: .promotional("comeback50"), bought: clock)
    }

    @Test(
        "By the transaction id, all of a subscription is deleted, and nothing of others",
        arguments: LedgerHome.allCases
    )
    func byTransaction(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        try fixture.states().learn(
            seen(Self.redeemed("1", of: nil)),
            seen(Self.redeemed("2", of: digest(2)), mark: allKnown(2)),
            seen(Self.redeemed("3", of: digest(3)), mark: allKnown(3))
        )
        let journal = try fixture.journal()
        for id in ["1", "2"] {
            _ = try await journal.append(
                .of(account: "reader", originalTransactionId: id, maximumAccounts: 3, at: fixture.now)
            )
        }
        for id in ["1", "2"] {
            let erasure = try await journal.erase(Self.customer(of: id))
            #expect(erasure.subscriptions == 1)
            #expect(erasure.rows > 2)
        }
        #expect(try fixture.rows("SELECT original_transaction_id FROM held_subscriptions") == ["3"])
        #expect(try fixture.rows("SELECT original_transaction_id FROM redemptions") == ["3"])
        #expect(try fixture.rows("SELECT original_transaction_id FROM ledger_presentations") == [])
        // No account may claim that it has never had what was deleted.
        #expect(try fixture.rows("SELECT original_transaction_id FROM held_accounts ORDER BY 1") == ["", "3"])
        #expect(try fixture.records().count == 2)
        journal.close()
    }

    @Test("An erasure is on record: when, how many rows, whose digest", arguments: LedgerHome.allCases)
    func onRecord(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        try fixture.states().learn(seen(Self.redeemed("1", of: nil)))
        let journal = try fixture.journal()
        let customer = Self.customer(of: "1")
        let rows = try await journal.erase(customer).rows
        #expect(rows == 2)
        fixture.advance(days: 0, seconds: 1)
        #expect(try await journal.erase(customer).rows == 0)
        let erasures = try fixture.database().erasures()
        #expect(erasures.map(\.rows) == [2, 0])
        #expect(erasures.allSatisfy { $0.customer == customer.customer && $0.bundleId == "com.example.reader" })
        #expect(try fixture.database().holdings(of: customer).erasures.count == 2)
        journal.close()
    }

    @Test("All that is stored of a customer is shown, and nothing of others", arguments: LedgerHome.allCases)
    func shown(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let anna = testDigestKey.digest(of: "anna", bundleId: "com.example.reader")
        try fixture.states().learn(seen(Self.redeemed("1", of: anna)), seen(Self.redeemed("2", of: digest(2))))
        let journal = try fixture.journal()
        let time = clock.adding(seconds: -60)
        for (account, id) in [("anna", "1"), ("anna", "7"), ("bob", "2"), ("", "1")] {
            _ = try await journal.append(.of(account: account, originalTransactionId: id, at: time))
        }
        // The signature is found for a redemption when that is learnt.
        try fixture.states().learn(
            seen(
                subscription(
                    "1",
                    of: anna,
                    transactionId: "9",
                    offer: .promotional("b"),
                    bought: clock.adding(seconds: 900)
                )
            )
        )
        journal.close()
        let found = try fixture.database().holdings(of: stored("anna"))
        #expect(found.signatures.map(\.record.originalTransactionId) == ["1", "7", "1"])
        #expect(found.signatures.compactMap(\.redeemedAt).count == 1)
        #expect(found.book.chapters.map(\.identity.originalTransactionId) == ["1"])
        #expect(found.redemptions.map(\.redemption.transactionId) == ["1", "9"])
        // Without an account, by the subscription: its own signatures, and those of the account that has it.
        let bySubscription = try fixture.database().holdings(of: Self.customer(of: "1"))
        #expect(bySubscription.signatures.count == 3)
        let nobody = try fixture.database().holdings(of: Self.customer(of: "404"))
        #expect(nobody.signatures.isEmpty && nobody.book.isEmpty && nobody.redemptions.isEmpty)
    }

    @Test("A customer's signatures are found by the index of customers")
    func byIndex() throws {
        let plan = try LedgerFixture(.sqlite).plan(of: CustomerSQL.signatures)
        #expect(plan.contains { $0.contains("USING INDEX ledger_records_customer (customer=?)") }, "\(plan)")
        #expect(plan.contains { $0.contains("INDEX redemptions_signed (signed_writer=?") }, "\(plan)")
        #expect(!plan.contains { $0.contains("SCAN ledger_records") }, "\(plan)")
    }
}
