import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Records by their nonces")
struct LedgerNonceTests {
    @Test("A record is found wherever it is, and none by a nonce like its own", arguments: LedgerHome.allCases)
    func found(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let section = Int(NonceSQL.section)
        for count in [1, 2 * section + 7, 3] { _ = try fixture.store().commit([.of(count: count, at: fixture.now)]) }
        let archive = try fixture.database(readOnly: true)
        let records = try fixture.records()
        #expect(records.count == 2 * section + 11)
        // All about the ends of sections, and some of the others.
        let near = 40
        for record in records where (Int(record.number) + near) % section < 2 * near || record.number % 64 == 0 {
            #expect(try archive.record(nonce: record.nonce) == record)
            let other = record.nonce.prefix(8) + "-0000-4000-8000-000000000000"
            #expect(try archive.record(nonce: String(other)) == nil)
        }
        #expect(try archive.record(nonce: Nonce().text) == nil)
        #expect(try archive.record(nonce: records[0].nonce.uppercased()) == nil)
        #expect(try archive.record(nonce: String(records[0].nonce.prefix(9))) == nil)
        #expect(try archive.record(nonce: "") == nil)
    }

    @Test("Records come in many commits, and some fail: each that is there is found")
    func commits() throws {
        let fixture = try LedgerFixture(.sqlite)
        // Both an entry that fails at its start, and one that fails when a section has been written.
        fixture.rule.withLock {
            $0 = """
                CREATE TEMP TRIGGER fails BEFORE INSERT ON ledger_records WHEN NEW.offer_id = 'failing'
                BEGIN SELECT RAISE(FAIL, 'no'); END
                """
        }
        let store = try fixture.store()
        let database = try SQLiteDatabase(path: fixture.path)
        for round in 0..<40 {
            _ = try store.commit([.of(count: 37, at: fixture.now)])
            guard round % 8 == 5 else { continue }
            for count in [0, Int(NonceSQL.section) + 3] {
                #expect(throws: StorageFailure.self) {
                    try store.commit([.of(count: count, at: fixture.now), .of(offer: "failing", at: fixture.now)])
                }
            }
        }
        let records = try fixture.records()
        #expect(records.map(\.number) == Array(1...1480))
        for record in records { #expect(try database.record(nonce: record.nonce) == record) }
        try fixture.verifySound()
        // One by one are looked at only the last: each section begins after the one before it.
        let sections = "SELECT number - length(nonces) / \(NonceSQL.prefix), number FROM ledger_nonces ORDER BY number"
        #expect(try fixture.rows(sections) == ["0 512", "512 1024"])
    }

    @Test("When the old ones are deleted, the others are still found", arguments: LedgerHome.allCases)
    func retention(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store(retentionDays: 30)
        _ = try store.commit([.of(count: 2 * Int(NonceSQL.section) + 100, at: fixture.now)])
        fixture.advance(days: 31)
        _ = try store.commit([.of(count: 2, at: fixture.now)])
        let records = try fixture.records()
        while try store.deleteOld(countingFrom: fixture.now) > 0 {}
        let archive = try fixture.database(readOnly: true)
        for record in records.suffix(2) { #expect(try archive.record(nonce: record.nonce) == record) }
        #expect(try archive.record(nonce: records[0].nonce) == nil)
        if home == .sqlite { #expect(try fixture.rows("SELECT count(*) FROM ledger_nonces") == ["0"]) }
    }
}
