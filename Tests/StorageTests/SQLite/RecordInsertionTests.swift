import GRDB
import Offers
import Testing

@testable import Storage

@Suite("Records of one statement")
struct RecordInsertionTests {
    @Test("When a statement fails at one of its rows, nothing of the commit stays, and the next one is whole")
    func failing() throws {
        let fixture = try LedgerFixture(.sqlite)
        let store = try fixture.store()
        _ = try store.commit([.of(offer: "first", at: fixture.now)])
        let database = try SQLiteDatabase(path: fixture.path)
        try database.write { try $0.execute(sql: "CREATE UNIQUE INDEX once ON ledger_records (offer_id)") }
        // The last of the first statement's rows is refused, and then one of the second's.
        for refused in [RecordInsertion.most - 1, RecordInsertion.most + 3] {
            let entries = (0..<(2 * RecordInsertion.most)).map { index in
                LedgerEntry.of(offer: "\(index == refused ? 0 : index)", at: fixture.now)
            }
            #expect(throws: StorageFailure.self) { try store.commit(entries) }
            #expect(try fixture.records().map(\.offerId) == ["first"])
        }
        try database.write { try $0.execute(sql: "DROP INDEX once") }
        let entries = (0..<100).map { LedgerEntry.of(offer: "\($0)", at: fixture.now) }
        #expect(try store.commit(entries) == entries.map { _ in [.recorded] })
        #expect(try fixture.records().map(\.offerId) == ["first"] + entries.map(\.grants[0].offer.offerId))
        let found = try fixture.verify()
        #expect(found.faults.isEmpty, "\(found.faults)")
        #expect(found.records == 101)
    }

    @Test("However many come at once, each is there", arguments: [1, 2, 3, 31, 32, 33, 63, 64, 65, 543, 1024])
    func counts(count: Int) throws {
        let fixture = try LedgerFixture(.sqlite)
        let entries = (0..<count).map { LedgerEntry.of(offer: "\($0)", at: fixture.now) }
        #expect(try fixture.store().commit(entries) == entries.map { _ in [.recorded] })
        #expect(try fixture.records().map(\.offerId) == entries.map(\.grants[0].offer.offerId))
        #expect(try fixture.verify().faults.isEmpty)
    }
}
