import Crypto
import Foundation
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Records outside of every chain")
struct LedgerOrphanTests {
    /// What somebody with the database, but without the checkpoint key, might do to it.
    struct Tampering: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The broken records of the first chain, of the second, and of none.
        let broken: [[Int64?]]
        let sql: [String]

        /// Puts a copy of a record somewhere, of the second one by default.
        static func inserting(_ writer: String, _ number: String, from source: Int = 2) -> String {
            """
            INSERT INTO ledger_records (\(LedgerSQL.recordColumns)) SELECT \(writer), \(number), time, client, bundle_id,
            product_id, offer_id, format, key_id, nonce, timestamp, reason, evidence, environment,
            original_transaction_id, account, customer, hash FROM ledger_records WHERE number = \(source)
            """
        }

        /// The writer of the second chain.
        static let second = "(SELECT writer FROM ledger_chains WHERE previous_writer IS NOT NULL)"
    }

    private static let tamperings = [
        Tampering(
            testDescription: "a record of a writer without a chain",
            broken: [[], [], [7]],
            sql: [Tampering.inserting("'zz'", "7")]
        ),
        Tampering(
            testDescription: "a record of nobody",
            broken: [[], [], [1]],
            sql: [Tampering.inserting("''", "1")]
        ),
        Tampering(
            testDescription: "a record before the first",
            broken: [[0], [], []],
            sql: [Tampering.inserting("writer", "0")]
        ),
        Tampering(
            testDescription: "a record with a number below zero",
            broken: [[Int64.min], [], []],
            sql: [Tampering.inserting("writer", "-9223372036854775807 - 1")]
        ),
        Tampering(
            testDescription: "all chains deleted",
            broken: [[1], [1], []],
            sql: ["DELETE FROM ledger_chains"]
        ),
        Tampering(
            testDescription: "the first chain deleted, its records left",
            broken: [[1], [], []],
            sql: ["DELETE FROM ledger_chains WHERE previous_writer IS NULL"]
        ),
        Tampering(
            testDescription: "the newest chain deleted, its records left",
            broken: [[], [1], []],
            sql: ["DELETE FROM ledger_chains WHERE previous_writer IS NOT NULL"]
        ),
        Tampering(
            testDescription: "the newest chain deleted with its records, its checkpoint left",
            broken: [[], [nil], []],
            sql: [
                "DELETE FROM ledger_records WHERE writer = \(Tampering.second)",
                "DELETE FROM ledger_chains WHERE writer = \(Tampering.second)",
            ]
        ),
    ]

    /// A ledger of two chains: of five records and of one, each with a checkpoint.
    private func filled(_ home: LedgerHome) throws -> (LedgerFixture, writers: [String]) {
        let fixture = try LedgerFixture(home)
        for count in [5, 1] {
            let store = try fixture.store()
            _ = try store.commit([.of(count: count, at: fixture.now)])
            try store.writeCheckpoint()
            fixture.advance(days: 1)
        }
        return (fixture, try fixture.database(readOnly: true).signatures().chains.map(\.writer))
    }

    @Test("They are named", arguments: LedgerHome.allCases, tamperings)
    func named(home: LedgerHome, tampering: Tampering) throws {
        let (fixture, writers) = try filled(home)
        #expect(try fixture.verify().faults.isEmpty)
        for statement in tampering.sql { try fixture.execute(statement) }
        let faults = try fixture.verify().faults
        let ofWriters = writers.map { writer in faults.filter { $0.writer == writer }.map(\.number) }
        // That a chain is missing is a fault of the ledger, too.
        let others = faults.filter { $0.writer.map { !writers.contains($0) } ?? false }.map(\.number)
        #expect(ofWriters + [others] == tampering.broken, "\(faults)")
    }

    @Test("A record that is there again though it was deleted for its age is named", arguments: LedgerHome.allCases)
    func deleted(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store(retentionDays: 10)
        for _ in 0..<2 {
            _ = try store.commit([.of(count: 5, at: fixture.now)])
            fixture.advance(days: 8)
        }
        #expect(try store.deleteOld(countingFrom: fixture.now) == 5)
        #expect(try fixture.verify().faults.isEmpty)
        try fixture.execute(
            Tampering.inserting("writer", "5").replacing("number = 2", with: "number = 6")
        )
        #expect(try fixture.verify().faults.map(\.number) == [5])
    }

    @Test(
        "A record that bears the number of another is named, where nothing keeps numbers apart any more",
        arguments: LedgerHome.allCases,
        [1, 499, 500, 501, 1200]
    )
    func twice(home: LedgerHome, number: Int64) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        for _ in 0..<3 { _ = try store.commit([.of(count: 400, at: fixture.now)]) }
        try store.writeCheckpoint()
        switch home {
        case .sqlite:
            try fixture.execute("CREATE TABLE copy AS SELECT * FROM ledger_records")
            try fixture.execute("DROP TABLE ledger_records")
            try fixture.execute("ALTER TABLE copy RENAME TO ledger_records")
        case .postgresql: try fixture.execute("ALTER TABLE ledger_records DROP CONSTRAINT ledger_records_pkey")
        }
        #expect(try fixture.verify().faults.isEmpty)
        try fixture.execute("INSERT INTO ledger_records SELECT * FROM ledger_records WHERE number = \(number)")
        let faults = try fixture.verify().faults
        #expect(faults.map(\.number) == [number])
        #expect(faults.first?.detail == "is there twice", "\(faults)")
    }

    @Test("Records that a service writes and deletes meanwhile are none of them", arguments: LedgerHome.allCases)
    func meanwhile(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store(retentionDays: 10)
        for _ in 0..<3 { _ = try store.commit([.of(count: 400, at: fixture.now)]) }
        try store.writeCheckpoint()
        fixture.advance(days: 20)
        _ = try store.commit([.of(at: fixture.now)])
        let other = try fixture.store()
        let looks = Mutex(0)
        let database = TroubledDatabase(
            try fixture.database(readOnly: true),
            after: { _ throws(StorageFailure) in
                _ = try other.commit([.of(at: fixture.now)])
                try other.writeCheckpoint()
                let look = looks.withLock { looks in
                    looks += 1
                    return looks
                }
                // From the fifth on, records are read. Faster than pages are read: of one that was read without those before it,
                // some are deleted.
                guard look > 4 else { return }
                for _ in 0..<2 { _ = try store.deleteOld(countingFrom: fixture.now) }
            }
        )
        let found = try LedgerVerifier(database, key: fixture.signer.key.publicKey).verify()
        #expect(found.faults.isEmpty, "\(found.faults)")
        #expect(try fixture.verify().faults.isEmpty)
    }

    @Test("They are looked for from writer to writer, not from record to record")
    func index() throws {
        let directory = try TemporaryDirectory()
        let plan = try SQLiteDatabase(path: directory.path("ledger.sqlite")).plan(of: LedgerOrphan.all)
        #expect(plan.contains { $0.hasPrefix("SEARCH ledger_records") && $0.hasSuffix("(writer>?)") }, "\(plan)")
        #expect(plan.contains { $0.hasPrefix("SEARCH ledger_statements") && $0.hasSuffix("(writer>?)") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN ledger") }, "\(plan)")
    }
}
