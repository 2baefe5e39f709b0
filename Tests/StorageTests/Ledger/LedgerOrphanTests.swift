import Crypto
import Foundation
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Records outside of every chain")
struct LedgerOrphanTests {
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
        try fixture.execute(LedgerTamperings.inserting("writer", "5", from: 6))
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
