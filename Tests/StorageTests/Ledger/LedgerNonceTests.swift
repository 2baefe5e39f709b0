import Offers
import Testing

@testable import Storage

@Suite("Records by their nonces")
struct LedgerNonceTests {
    @Test("A record is found wherever it is, and none by a nonce like its own", arguments: LedgerHome.allCases)
    func found(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let section = NonceSQL.section
        for count in [1, 2 * Int(section) + 7, 3] {
            _ = try fixture.store().commit([.of(count: count, at: fixture.now)])
        }
        let archive = try fixture.archive()
        let records = try fixture.records()
        #expect(records.count == 2 * Int(section) + 11)
        let ends: Set = [1, 2, 3, section - 1, section, 2 * section, 2 * section + 7]
        for record in records where ends.contains(record.number) {
            #expect(try archive.record(nonce: record.nonce) == record)
            let other = record.nonce.prefix(8) + "-0000-4000-8000-000000000000"
            #expect(try archive.record(nonce: String(other)) == nil)
        }
        #expect(try archive.record(nonce: Nonce().text) == nil)
        #expect(try archive.record(nonce: "") == nil)
    }

    @Test("When the old ones are deleted, the others are still found", arguments: LedgerHome.allCases)
    func retention(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store(retentionDays: 30)
        _ = try store.commit([.of(count: Int(NonceSQL.section) + 100, at: fixture.now)])
        fixture.advance(days: 31)
        _ = try store.commit([.of(count: 2, at: fixture.now)])
        let records = try fixture.records()
        while try store.deleteOld(at: fixture.now) > 0 {}
        let archive = try fixture.archive()
        for record in records.suffix(2) { #expect(try archive.record(nonce: record.nonce) == record) }
        #expect(try archive.record(nonce: records[0].nonce) == nil)
    }
}
