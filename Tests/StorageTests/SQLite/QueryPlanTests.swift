import Foundation
import GRDB
import Testing

@testable import Storage

@Suite("Lookups in a database that has grown")
struct QueryPlanTests {
    /// A statement by which something is looked up.
    struct Lookup: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: String

        init(_ name: String, _ sql: String) {
            testDescription = name
            self.sql = sql
        }
    }

    /// Everything that is asked while requests wait, while Apple waits, or again and again.
    private static let lookups = [
        Lookup("signatures of a customer", LedgerSQL.signatureCount),
        Lookup("other customers of a subscription", LedgerSQL.otherCustomers),
        Lookup("a customer of a subscription", LedgerSQL.isKnownCustomer),
        Lookup("a signature by its nonce", LedgerSQL.recordsOfNonce),
        Lookup("the end of a chain", LedgerSQL.head),
        Lookup("a page of a chain", LedgerSQL.records),
        Lookup("a page of an export", LedgerSQL.recordsByTime),
        Lookup("the newest checkpoint", LedgerSQL.newestCheckpoint),
        Lookup("a page of checkpoints", LedgerSQL.checkpoints),
        Lookup("the oldest chain", LedgerSQL.oldestChain),
        Lookup("the oldest records", LedgerSQL.oldestRecords),
        Lookup("deletion of records", LedgerSQL.deleteRecords),
        Lookup("deletion of presentations", LedgerSQL.deletePresentations),
        Lookup("a held subscription", StateSQL.subscription),
        Lookup("an account's subscriptions", StateSQL.ofAccount),
        Lookup("an account's subscriptions in all apps", StateSQL.ofAccountEverywhere),
        Lookup("a subscription's accounts", StateSQL.accountsOf),
        Lookup("an account's marks", StateSQL.marks),
        Lookup("a notification", StateSQL.isKnownNotification),
        Lookup("deletion of notifications", StateSQL.deleteNotifications),
        Lookup("deletion of redemptions", RedemptionSQL.delete),
        Lookup("redemptions of signatures elsewhere", RedemptionSQL.countUnsigned),
        Lookup("the newest signature of a customer", RedemptionSQL.signature(.newest, ofSubscription: false)),
        Lookup("the oldest signature of a subscription", RedemptionSQL.signature(.oldest, ofSubscription: true)),
        Lookup("decisions of a period", FunnelSQL.decisions),
        Lookup("signatures of a period", FunnelSQL.signatures),
        Lookup("redemptions of a period", FunnelSQL.redemptions),
        Lookup("what is known of a product", ProductReportSQL.sightings),
        Lookup("products of a country", ProductReportSQL.ofCountry),
    ]

    @Test("Nothing is looked for row by row: each lookup goes by an index", arguments: lookups)
    func index(lookup: Lookup) throws {
        let directory = try TemporaryDirectory()
        let plan = try SQLiteDatabase(path: directory.path("ledger.sqlite")).read { database in
            let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + lookup.sql)
            // What stands for the parameters does not matter to the plan.
            statement.setUncheckedArguments(StatementArguments())
            return try Row.fetchAll(statement).map { row -> String in row["detail"] }
        }
        #expect(plan.contains { $0.hasPrefix("SEARCH") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }
}
