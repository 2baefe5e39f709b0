import Crypto
import Foundation
import Offers
import Testing

@testable import Storage

@Suite("The ledger's verification")
struct LedgerVerificationTests {
    /// What somebody with the file, but without the checkpoint key, might do to it.
    struct Tampering: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let broken: Int64?
        let sql: String
    }

    private static let columns = LedgerSQL.recordColumns

    private static let tamperings = [
        Tampering(
            testDescription: "a reason changed",
            broken: 7,
            sql: "UPDATE ledger_records SET reason = 'active' WHERE number = 7"
        ),
        Tampering(
            testDescription: "an account exchanged",
            broken: 7,
            sql: "UPDATE ledger_records SET account = x'00' WHERE number = 7"
        ),
        Tampering(
            testDescription: "a hash changed",
            broken: 7,
            sql: "UPDATE ledger_records SET hash = x'00' WHERE number = 7"
        ),
        Tampering(
            testDescription: "a value of another type",
            broken: 7,
            sql: "UPDATE ledger_records SET time = 'noon' WHERE number = 7"
        ),
        Tampering(
            testDescription: "a text as bytes",
            broken: 7,
            sql: "UPDATE ledger_records SET offer_id = CAST(offer_id AS BLOB) WHERE number = 7"
        ),
        Tampering(
            testDescription: "a text with U+0000 at its end",
            broken: 7,
            sql: "UPDATE ledger_records SET offer_id = offer_id || char(0) WHERE number = 7"
        ),
        Tampering(
            testDescription: "a text with more after U+0000",
            broken: 7,
            sql: "UPDATE ledger_records SET client = client || char(0) || 'x' WHERE number = 7"
        ),
        Tampering(
            testDescription: "a time with a fraction",
            broken: 7,
            sql: "UPDATE ledger_records SET time = time + 0.5 WHERE number = 7"
        ),
        Tampering(
            testDescription: "a signed timestamp with a fraction",
            broken: 7,
            sql: "UPDATE ledger_records SET timestamp = timestamp + 0.5 WHERE number = 7"
        ),
        Tampering(
            testDescription: "a number with a fraction",
            broken: 7,
            sql: "UPDATE ledger_records SET number = 7.5 WHERE number = 7"
        ),
        Tampering(
            testDescription: "bytes as a text",
            broken: 7,
            sql: "UPDATE ledger_records SET hash = CAST(hash AS TEXT) WHERE number = 7"
        ),
        Tampering(
            testDescription: "the checkpoint's number of chains changed",
            broken: nil,
            sql: "UPDATE ledger_checkpoints SET chains = chains + 1"
        ),
        Tampering(testDescription: "a record deleted", broken: 7, sql: "DELETE FROM ledger_records WHERE number = 7"),
        Tampering(
            testDescription: "a record deleted and the gap closed",
            broken: 7,
            sql:
                "DELETE FROM ledger_records WHERE number = 7; UPDATE ledger_records SET number = number - 1 WHERE number > 7"
        ),
        Tampering(
            testDescription: "two records exchanged",
            broken: 7,
            sql: """
                UPDATE ledger_records SET number = -7 WHERE number = 7; UPDATE ledger_records SET number = 7 WHERE number = 8;
                UPDATE ledger_records SET number = 8 WHERE number = -7
                """
        ),
        Tampering(
            testDescription: "a record inserted",
            broken: 7,
            sql: """
                UPDATE ledger_records SET number = -number - 1 WHERE number >= 7;
                UPDATE ledger_records SET number = -number WHERE number < 0;
                INSERT INTO ledger_records (\(columns)) SELECT writer, 7, time, client, bundle_id, product_id, offer_id, format,
                key_id, 'forged', timestamp, reason, evidence, environment, original_transaction_id, account, customer, hash
                FROM ledger_records WHERE number = 6
                """
        ),
        Tampering(testDescription: "the end cut off", broken: 16, sql: "DELETE FROM ledger_records WHERE number > 15"),
        Tampering(
            testDescription: "the beginning cut off",
            broken: 1,
            sql: "DELETE FROM ledger_records WHERE number < 4"
        ),
        Tampering(
            testDescription: "the beginning said to have been deleted for its age",
            broken: 3,
            sql: """
                INSERT INTO ledger_statements (writer, kind, number, hash, time, signature)
                SELECT writer, 'retention', number, hash, time, x'3000' FROM ledger_records WHERE number = 3;
                DELETE FROM ledger_records WHERE number < 4
                """
        ),
        Tampering(
            testDescription: "the checkpoint's time changed",
            broken: nil,
            sql: "UPDATE ledger_checkpoints SET time = time + 1"
        ),
    ]

    /// A ledger of 20 records with a checkpoint after every ten.
    private func filled(_ home: LedgerHome) throws -> LedgerFixture {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        for _ in 0..<2 {
            for index in 0..<10 { _ = try store.commit([.of(account: "\(index)", at: fixture.now)]) }
            try store.writeCheckpoint()
        }
        return fixture
    }

    @Test("An unchanged ledger is in order", arguments: LedgerHome.allCases)
    func sound(home: LedgerHome) throws {
        let fixture = try filled(home)
        let store = try fixture.store()
        _ = try store.commit([.of(count: 3, at: fixture.now), .of(at: fixture.now)])
        let found = try fixture.verify()
        #expect(found.faults.isEmpty, "\(found.faults)")
        #expect(found.chains == 2)
        #expect(found.records == 24)
        // The end of the first is signed: nobody writes it any more, though a server may notice that later.
        #expect((1...(home == .sqlite ? 1 : 2)).contains(found.anchor.open.count))
        #expect(found.uncovered == 4)
    }

    @Test("The first broken record is named", arguments: tamperings)
    func tampered(tampering: Tampering) throws {
        let fixture = try filled(.sqlite)
        #expect(try fixture.verify().faults.isEmpty)
        for sql in tampering.sql.split(separator: ";") { try fixture.execute(String(sql)) }
        let found = try fixture.verify()
        #expect(found.faults.map(\.number) == [tampering.broken], "\(found.faults)")
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
        #expect(found.faults.count == 2, "\(found.faults)")
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
