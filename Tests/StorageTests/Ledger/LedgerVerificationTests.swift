import Crypto
import Foundation
import Offers
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

    @Test("An unchanged ledger is in order", arguments: LedgerHome.allCases)
    func sound(home: LedgerHome) throws {
        let fixture = try filled(home)
        let store = try fixture.store()
        _ = try store.commit([.of(count: 3, at: fixture.now), .of(at: fixture.now)])
        let found = try fixture.verify()
        #expect(found.faults.isEmpty, "\(found.faults)")
        #expect(found.chains == 3)
        #expect(found.records == 25)
        // The ends of the others are signed: nobody writes them any more, though a server may notice that later.
        #expect((1...(home == .sqlite ? 1 : 3)).contains(found.anchor.open.count))
        #expect(found.uncovered == 4)
    }

    private static let tamperings =
        LedgerHome.allCases.flatMap { home in LedgerTamperings.anywhere.map { (home, $0) } }
        + LedgerTamperings.inFile.map { (.sqlite, $0) }

    @Test("What was changed is named, by the first broken record of each chain", arguments: tamperings)
    func tampered(home: LedgerHome, tampering: TableRow) throws {
        let fixture = try filled(home)
        #expect(try fixture.verify().faults.isEmpty)
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

    @Test("A value of another type is named with its record, also where records are exported")
    func column() throws {
        let fixture = try filled(.sqlite)
        try fixture.execute("UPDATE ledger_records SET offer_id = CAST(offer_id AS BLOB) WHERE number = 7")
        #expect(try fixture.verify().faults.map(\.description).contains { $0.contains("offer_id") })
        let failure = #expect(throws: StorageFailure.self) { try fixture.records() }
        #expect(failure?.detail.contains("record 7 of chain") == true)
        #expect(failure?.detail.contains("offer_id") == true)
    }

    @Test("A chain's value of another type is reported with the chain")
    func chainColumn() throws {
        let fixture = try filled(.sqlite)
        let writer = try #require(try fixture.records().first?.writer)
        try fixture.execute("UPDATE ledger_chains SET started_at = started_at + 0.5")
        let failure = #expect(throws: StorageFailure.self) { try fixture.verify() }
        #expect(failure?.detail.contains("chain \(writer)") == true)
        #expect(failure?.detail.contains("started_at") == true)
    }

    @Test("A text that was signed with U+0000 in it is as it was")
    func zero() throws {
        let fixture = try LedgerFixture(.sqlite)
        _ = try fixture.store().commit([.of(originalTransactionId: RefusedValue.transaction, at: fixture.now)])
        #expect(try fixture.verify().faults.isEmpty)
        #expect(try fixture.records().map(\.originalTransactionId) == [RefusedValue.transaction])
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
        "Old records go, and what is left can be verified, also after it has happened twice",
        arguments: LedgerHome.allCases
    )
    func retention(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store(retentionDays: 10)
        for _ in 0..<3 {
            for index in 0..<5 { _ = try store.commit([.of(account: "\(index)", at: fixture.now)]) }
            try store.writeCheckpoint()
            fixture.advance(days: 8)
            _ = try store.deleteOld(countingFrom: fixture.now)
        }
        #expect(try fixture.records().count == 5)
        let found = try fixture.verify()
        #expect(found.faults.isEmpty, "\(found.faults)")
        #expect(found.records == 5)
        fixture.advance(days: 30)
        #expect(try store.deleteOld(countingFrom: fixture.now) == 5)
        _ = try fixture.store().commit([.of(at: fixture.now)])
        let later = try fixture.verify()
        #expect(later.faults.isEmpty, "\(later.faults)")
        #expect(later.records == 1)
    }

    @Test(
        "A deletion goes step by step, from the oldest chain on, and after each step the rest can be verified",
        arguments: LedgerHome.allCases
    )
    func steps(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        for _ in 0..<2 {
            let store = try fixture.store()
            for _ in 0..<3 { _ = try store.commit([.of(count: 200, maximumAccounts: 3, at: fixture.now)]) }
            try store.writeCheckpoint()
            fixture.advance(days: 1)
        }
        fixture.advance(days: 40)
        _ = try fixture.store().commit([.of(at: fixture.now)])
        let store = try fixture.store(retentionDays: 10)
        var left = 1201
        // The first step deletes the one presentation.
        #expect(try store.deleteOld(countingFrom: fixture.now) == 1)
        for expected in [500, 100, 500, 100, 0] {
            #expect(try store.deleteOld(countingFrom: fixture.now) == expected)
            left -= expected
            let found = try fixture.verify()
            #expect(found.faults.isEmpty, "\(found.faults)")
            #expect(found.records == left)
        }
        #expect(left == 1)
    }

    @Test("The first record after a deletion cannot be given records before it")
    func stump() throws {
        let fixture = try LedgerFixture(.sqlite)
        let store = try fixture.store(retentionDays: 10)
        for _ in 0..<2 {
            for index in 0..<5 { _ = try store.commit([.of(account: "\(index)", at: fixture.now)]) }
            fixture.advance(days: 8)
        }
        #expect(try store.deleteOld(countingFrom: fixture.now) == 5)
        try fixture.execute("DELETE FROM ledger_records WHERE number = 6")
        #expect(try fixture.verify().faults.map(\.number) == [6])
    }
}
