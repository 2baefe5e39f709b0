import Foundation
import Testing

@testable import Storage

@Suite("Lookups in a database that has grown")
struct QueryPlanTests {
    /// A statement by which something is looked up.
    struct Lookup: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: String
        /// The columns by which the index leads to it, as SQLite tells them.
        let columns: String

        init(_ name: String, _ sql: String, by columns: String) {
            testDescription = name
            self.sql = sql
            self.columns = columns
        }
    }

    private static let identity = "original_transaction_id=? AND bundle_id=? AND environment=?"
    private static let redeemed = "bundle_id=? AND environment=? AND original_transaction_id=?"

    /// Everything that is asked while requests wait, while Apple waits, or again and again.
    private static let lookups = [
        Lookup("signatures of a customer", LedgerSQL.signatureCount, by: "customer=? AND offer_id=? AND time>?"),
        Lookup("for whom a subscription was presented", LedgerSQL.presentations, by: identity),
        Lookup("a nonce in a section of a chain", NonceSQL.inSection, by: "writer=? AND number>? AND number<?"),
        Lookup("a nonce among the last of a chain", NonceSQL.inTail, by: "writer=? AND number>?"),
        Lookup("the nonces of a section", NonceSQL.insert, by: "writer=? AND number>? AND number<?"),
        Lookup("deletion of nonces", NonceSQL.delete, by: "writer=? AND number<?"),
        Lookup("the end of a chain", LedgerSQL.head, by: "writer=?"),
        Lookup("the beginning of a chain", LedgerSQL.firstNumber, by: "writer=?"),
        Lookup("a page of a chain", LedgerSQL.records, by: "writer=? AND number>?"),
        Lookup("a page of an export", LedgerSQL.recordsByTime, by: "(time,writer,number)>(?,?,?)"),
        Lookup("a record of a chain", LedgerSQL.hash, by: "writer=? AND number=?"),
        Lookup("whether a chain ended", LedgerSQL.isEnded, by: "writer=? AND kind=?"),
        Lookup("what is stated of a chain", LedgerSQL.statementsOf, by: "writer=?"),
        Lookup("the oldest chain", LedgerSQL.oldestChain, by: "time<?"),
        Lookup("the newest record before a moment", LedgerSQL.newestTime, by: "time<?"),
        Lookup("deletion of records", LedgerSQL.deleteRecords, by: "writer=? AND number<?"),
        Lookup("deletion of presentations", LedgerSQL.deletePresentations, by: "last_seen<?"),
        Lookup("a held subscription", StateSQL.subscription, by: identity),
        Lookup("an account's subscriptions", StateSQL.ofAccount, by: "account=? AND bundle_id=?"),
        Lookup("an account's subscriptions in all apps", StateSQL.ofAccountEverywhere, by: "account=?"),
        Lookup("deletion of an account", StateSQL.deleteAccount, by: "account=?"),
        Lookup("deletion of a held subscription", StateSQL.deleteSubscription, by: identity),
        Lookup("customers for whom a redeemed subscription was presented", RedemptionSQL.presentedFor, by: identity),
        Lookup("deletion of notifications", StateSQL.deleteNotifications, by: "received_at<?"),
        Lookup("deletion of redemptions", RedemptionSQL.delete, by: redeemed),
        Lookup("a page of redemptions", RedemptionFeedSQL.page, by: "bundle_id=? AND position>?"),
        Lookup("redemptions of signatures elsewhere", RedemptionSQL.countUnsigned, by: redeemed),
        Lookup("whether anything was signed for a customer", RedemptionSQL.anySignature, by: "customer=?"),
        Lookup(
            "the newest signature of a customer",
            RedemptionSQL.signature(.newest, ofSubscription: false),
            by: "customer=? AND offer_id=? AND time>? AND time<?"
        ),
        Lookup(
            "the oldest signature of a subscription",
            RedemptionSQL.signature(.oldest, ofSubscription: true),
            by: "customer=? AND offer_id=? AND time>? AND time<?"
        ),
        Lookup("decisions of a period", FunnelSQL.decisions, by: "day>? AND day<?"),
        Lookup("signatures of a period", FunnelSQL.signatures, by: "time>? AND time<?"),
        Lookup("redemptions of a period", FunnelSQL.redemptions, by: "redeemed_at>? AND redeemed_at<?"),
        Lookup(
            "what is known of a product",
            ProductReportSQL.product,
            by: "bundle_id=? AND country=? AND product_id=?"
        ),
        Lookup("products of a country", ProductReportSQL.ofCountry, by: "bundle_id=? AND country=?"),
    ]

    @Test("Nothing is looked for row by row: each lookup goes by an index", arguments: lookups)
    func index(lookup: Lookup) throws {
        // What stands for the parameters does not matter to the plan.
        let plan = try LedgerFixture(.sqlite).plan(of: lookup.sql)
        #expect(plan.contains { $0.hasPrefix("SEARCH") && $0.hasSuffix("(\(lookup.columns))") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }

    @Test("Records outside of every chain are looked for from writer to writer, not from record to record")
    func orphans() throws {
        let plan = try LedgerFixture(.sqlite).plan(of: LedgerOrphan.all)
        for table in ["ledger_records", "ledger_statements"] {
            #expect(plan.contains { $0.hasPrefix("SEARCH \(table)") && $0.hasSuffix("(writer>?)") }, "\(plan)")
        }
        #expect(!plan.contains { $0.hasPrefix("SCAN ledger") }, "\(plan)")
    }
}
