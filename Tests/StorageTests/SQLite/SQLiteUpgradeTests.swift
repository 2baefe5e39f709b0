import Crypto
import GRDB
import Offers
import Testing

@testable import Storage

@Suite("An SQLite file of an earlier version")
struct SQLiteUpgradeTests {
    /// Makes a file as the version before a step did, with all that is in a ledger of today.
    private func file(before step: String, from fixture: LedgerFixture) throws -> String {
        let path = fixture.directory.path("earlier.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "ATTACH ? AS made", arguments: [fixture.path])
            try database.execute(sql: Migration.table)
            for migration in Migration.inOrder.prefix(while: { $0.name != step }) {
                for statement in migration.sqliteStatements { try database.execute(sql: statement) }
                try database.execute(sql: "INSERT INTO schema_migrations VALUES (?)", arguments: [migration.name])
            }
            let tables = [
                "ledger_chains", "ledger_records", "ledger_checkpoints", "ledger_presentations", "ledger_nonces",
            ]
            let made = try String.fetchAll(database, sql: "SELECT name FROM main.sqlite_master WHERE type = 'table'")
            for table in tables where made.contains(table) {
                try database.execute(sql: "INSERT INTO main.\(table) SELECT * FROM made.\(table)")
            }
        }
        try queue.close()
        return path
    }

    @Test(
        "All records are there, in order, and are found by their nonces; the chains go on, and limits count what was before",
        arguments: [
            NonceSQL.migration.name, SlimTables.migration.name, NonceSQL.sectionMigration.name,
            SlimTables.timeMigration.name,
        ]
    )
    func upgrade(step: String) throws {
        let fixture = try LedgerFixture(.sqlite)
        let store = try fixture.store()
        for index in 0..<30 { _ = try store.commit([.of(account: "\(index)", count: 2, at: fixture.now)]) }
        for index in 0..<2 {
            let entry = LedgerEntry.of(
                account: "\(index)",
                originalTransactionId: "7",
                maximumAccounts: 2,
                at: fixture.now
            )
            #expect(try store.commit([entry]) == [[.recorded]])
        }
        _ = try store.commit([.of(account: "many", count: 2 * NonceSQL.section, at: fixture.now)])
        try store.writeCheckpoint()
        let path = try file(before: step, from: fixture)
        // As it is, too, it can be read.
        let before = try SQLiteDatabase(path: path, access: .readOnly)
        let verified = try LedgerVerifier(before, key: fixture.signer.key.publicKey).verify()
        #expect(verified.faults.isEmpty && verified.records == 62 + 2 * NonceSQL.section)
        for record in try fixture.records().suffix(3) { #expect(try before.record(nonce: record.nonce) == record) }
        let database = try SQLiteDatabase(path: path)
        let start = LedgerPlace(before: Timestamp(millisecondsSince1970: 0))
        let records = try database.records(after: start, limit: 10_000)
        #expect(records.count == 62 + 2 * NonceSQL.section)
        #expect(try records == fixture.records())
        for record in records { #expect(try database.record(nonce: record.nonce) == record) }
        let keys = LedgerKeys(digestKey: testDigestKey, checkpointSigner: fixture.signer)
        let next = SQLiteLedgerStore(database: database, keys: keys, retentionDays: nil, now: { fixture.now })
        let outcomes = try next.commit([
            .of(account: "0", originalTransactionId: "7", maximumAccounts: 2, at: fixture.now),
            .of(account: "2", originalTransactionId: "7", maximumAccounts: 2, at: fixture.now),
            .of(account: "5", limit: 2, at: fixture.now),
        ])
        #expect(outcomes == [[.recorded], [.evidenceShared(others: 2)], [.signatureLimit(count: 2)]])
        #expect(
            try next.forgetPresentations(
                of: Account.applicationUsername("1").payloadField,
                bundleId: "com.example.reader"
            ) == 1
        )
        let found = try LedgerVerifier(database, key: fixture.signer.key.publicKey).verify()
        #expect(found.faults.isEmpty, "\(found.faults)")
        #expect(found.chains == 2)
        #expect(found.records == 63 + 2 * NonceSQL.section)
        #expect(found.checkpoints == 1)
    }
}
