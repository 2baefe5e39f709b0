import Crypto
import Foundation
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("The ledger's verification")
struct LedgerVerificationTests {
    /// A ledger of two chains: of twenty records with a checkpoint after every ten, and of one.
    private func filled(_ home: LedgerHome) throws -> LedgerFixture {
        let fixture = try LedgerFixture(home)
        do {
            let store = try fixture.store()
            for _ in 0..<2 {
                for index in 0..<10 { _ = try store.commit([.of(account: "\(index)", at: fixture.now)]) }
                try store.writeCheckpoint()
            }
        }
        fixture.advance(days: 1)
        let store = try fixture.store()
        _ = try store.commit([.of(at: fixture.now)])
        try store.writeCheckpoint()
        return fixture
    }

    private static let tamperings =
        LedgerHome.allCases.flatMap { home in LedgerTamperings.anywhere.map { (home, $0) } }
        + LedgerTamperings.inFile.map { (.sqlite, $0) }

    @Test("What was changed is named, by the first broken record of each chain", arguments: tamperings)
    func tampered(home: LedgerHome, tampering: TableRow) throws {
        let fixture = try filled(home)
        try fixture.verifySound()
        var names: [String: String] = [:]
        for (writer, name) in zip(try fixture.database().signatures().chains.map(\.writer), ["A", "B"]) {
            names[name] = writer
        }
        for sql in tampering.statements {
            try fixture.execute(names.reduce(sql) { $0.replacing("'\($1.key)'", with: "'\($1.value)'") })
        }
        let faults = try fixture.verify().faults.map { fault in
            names.reduce(fault.description) { $0.replacing($1.value, with: $1.key) }
        }
        #expect(faults.sorted() == tampering.outcomes.sorted())
    }

    @Test("A value of another type is named with its record where records are exported, and with its chain")
    func column() throws {
        let fixture = try filled(.sqlite)
        let writer = try #require(try fixture.records().first?.writer)
        try fixture.execute("UPDATE ledger_records SET offer_id = CAST(offer_id AS BLOB) WHERE number = 7")
        let export = #expect(throws: StorageFailure.self) { try fixture.records() }
        try fixture.execute("UPDATE ledger_chains SET started_at = started_at + 0.5")
        let verification = #expect(throws: StorageFailure.self) { try fixture.verify() }
        for (failure, words) in [
            (export, ["record 7 of chain", "offer_id"]), (verification, ["chain \(writer)", "started_at"]),
        ] { #expect(words.allSatisfy { failure?.detail.contains($0) == true }, "\(failure?.detail ?? "")") }
    }

    @Test("A text that was signed with U+0000 in it is as it was")
    func zero() throws {
        let fixture = try LedgerFixture(.sqlite)
        _ = try fixture.store().commit([.of(originalTransactionId: LedgerFixture.refusedTransaction, at: fixture.now)])
        try fixture.verifySound()
        #expect(try fixture.records().map(\.originalTransactionId) == [LedgerFixture.refusedTransaction])
    }

    @Test("Statements of another key are none")
    func otherKey() throws {
        let fixture = try filled(.sqlite)
        let other = KeySigner().key.publicKey
        let found = try LedgerVerifier(try SQLiteDatabase(path: fixture.path), key: other).verify()
        // The checkpoint, both beginnings, and the end of the first.
        #expect(found.faults.count == 4, "\(found.faults)")
        #expect(found.faults.allSatisfy { $0.detail.contains("not by the checkpoint key") })
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
        try fixture.dropKey(of: "ledger_records")
        try fixture.verifySound()
        try fixture.execute("INSERT INTO ledger_records SELECT * FROM ledger_records WHERE number = \(number)")
        let faults = try fixture.verify().faults
        #expect(faults.map(\.number) == [number])
        #expect(faults.first?.detail == "is there twice", "\(faults)")
    }

    @Test("Records that a service writes and deletes meanwhile are no faults", arguments: LedgerHome.allCases)
    func meanwhile(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store(retentionDays: 10)
        for _ in 0..<3 { _ = try store.commit([.of(count: 400, at: fixture.now)]) }
        try store.writeCheckpoint()
        fixture.advance(days: 20)
        _ = try store.commit([.of(at: fixture.now)])
        let other = try fixture.store()
        let looks = Atomic(0)
        let database = TroubledDatabase(
            try fixture.database(readOnly: true),
            after: { _ throws(StorageFailure) in
                _ = try other.commit([.of(at: fixture.now)])
                try other.writeCheckpoint()
                // From the fifth on, records are read. Faster than pages are read: of one that was read without those before it,
                // some are deleted.
                guard looks.add(1, ordering: .sequentiallyConsistent).newValue > 4 else { return }
                for _ in 0..<2 { _ = try store.deleteOld(countingFrom: fixture.now) }
            }
        )
        let found = try LedgerVerifier(database, key: fixture.signer.key.publicKey).verify()
        #expect(found.faults.isEmpty, "\(found.faults)")
        try fixture.verifySound()
    }
}
