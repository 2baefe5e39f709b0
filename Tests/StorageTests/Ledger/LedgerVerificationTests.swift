import Crypto
import Foundation
import GRDB
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
            testDescription: "a checkpoint's time with a fraction",
            broken: nil,
            sql: "UPDATE ledger_checkpoints SET time = time + 0.5 WHERE number = 10"
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
                INSERT INTO ledger_checkpoints (writer, kind, number, hash, time, signature)
                SELECT writer, 'retention', number, hash, time, x'3000' FROM ledger_records WHERE number = 3;
                DELETE FROM ledger_records WHERE number < 4
                """
        ),
        Tampering(
            testDescription: "a checkpoint exchanged",
            broken: 10,
            sql: "UPDATE ledger_checkpoints SET time = time + 1 WHERE number = 10"
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

    @Test("A ledger that nobody touched is in order", arguments: LedgerHome.allCases)
    func sound(home: LedgerHome) throws {
        let fixture = try filled(home)
        let store = try fixture.store()
        _ = try store.commit([.of(count: 3, at: fixture.now), .of(at: fixture.now)])
        let found = try fixture.verify()
        #expect(found.faults.isEmpty, "\(found.faults)")
        #expect(found.chains == 2)
        #expect(found.records == 24)
        #expect(found.checkpoints == 2)
        #expect(found.uncovered == 4)
    }

    @Test("The first broken record is named", arguments: tamperings)
    func tampered(tampering: Tampering) throws {
        let fixture = try filled(.sqlite)
        #expect(try fixture.verify().faults.isEmpty)
        try SQLiteDatabase(path: fixture.path).write { try $0.execute(sql: tampering.sql) }
        let found = try fixture.verify()
        #expect(found.faults.map(\.number) == [tampering.broken], "\(found.faults)")
    }

    @Test("A value of another type is named with its record, and the records can still be exported")
    func column() throws {
        let fixture = try filled(.sqlite)
        try fixture.execute("UPDATE ledger_records SET offer_id = CAST(offer_id AS BLOB) WHERE number = 7")
        #expect(try fixture.verify().faults.map(\.description).contains { $0.contains("offer_id") })
        #expect(try fixture.records().map(\.offerId) == Array(repeating: "comeback50", count: 20))
    }

    @Test("A chain's value of another type is told with the chain")
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

    /// Changes a record of the first chain, and computes all hashes of that chain anew.
    private func rewrite(_ number: Int64, in fixture: LedgerFixture) throws {
        let database = try SQLiteDatabase(path: fixture.path)
        let chain = try #require(try database.chains().first)
        var hash = chain.beginning
        for var record in try database.records(of: chain.writer, after: 0, limit: 100) {
            if record.number == number { record.offerId = "another" }
            var message = CanonicalBytes()
            record.write(to: &message, after: hash)
            hash = record.computedHash(after: hash)
            message.append(hash)
            try database.write { database in
                try database.execute(
                    sql: "DELETE FROM ledger_records WHERE writer = ? AND number = ?",
                    arguments: [chain.writer, record.number]
                )
                var insertion = RecordInsertion(in: database, nonces: [])
                try insertion.insert(1, message, of: chain.writer)
            }
        }
    }

    @Test("Who changes a record and computes all hashes anew is caught by the next checkpoint")
    func rewritten() throws {
        let fixture = try filled(.sqlite)
        try rewrite(12, in: fixture)
        let fault = try #require(try fixture.verify().faults.first)
        #expect(fault.number == 11)
        #expect(fault.detail.contains("up to 20"))
    }

    @Test("Where no checkpoint covers it, the chain that began after it catches it")
    func rewrittenEnd() throws {
        let fixture = try filled(.sqlite)
        _ = try fixture.store().commit([.of(at: fixture.now)])
        try SQLiteDatabase(path: fixture.path).write { try $0.execute(sql: "DELETE FROM ledger_checkpoints") }
        #expect(try fixture.verify().faults.isEmpty)
        try rewrite(12, in: fixture)
        #expect(try fixture.verify().faults.map(\.number) == [20])
    }

    @Test("A chain that is gone as a whole is missed by the next")
    func chainGone() throws {
        let fixture = try filled(.sqlite)
        let writer = try #require(try fixture.records().first?.writer)
        _ = try fixture.store().commit([.of(at: fixture.now)])
        for table in ["ledger_chains", "ledger_records", "ledger_checkpoints"] {
            try SQLiteDatabase(path: fixture.path).write {
                try $0.execute(sql: "DELETE FROM \(table) WHERE writer = ?", arguments: [writer])
            }
        }
        let found = try fixture.verify()
        #expect(found.faults.map(\.writer) == [writer])
    }

    @Test(
        "A chain that is gone is missed by the next also where the clock was set back before both",
        arguments: LedgerHome.allCases
    )
    func chainGoneAfterClockSetBack(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        fixture.advance(days: 1)
        _ = try fixture.store().commit([.of(at: fixture.now)])
        fixture.advance(days: -1)
        let first = Set(try fixture.records().map(\.writer))
        _ = try fixture.store().commit([.of(at: fixture.now)])
        let gone = try #require(try fixture.records().map(\.writer).first { !first.contains($0) })
        _ = try fixture.store().commit([.of(at: fixture.now)])
        #expect(try fixture.verify().faults.isEmpty)
        for table in ["ledger_chains", "ledger_records", "ledger_checkpoints"] {
            try fixture.execute("DELETE FROM \(table) WHERE writer = '\(gone)'")
        }
        #expect(try fixture.verify().faults.map(\.writer) == [gone])
    }

    @Test("An end that no checkpoint covers is missed by the chain that began after it")
    func uncoveredEnd() throws {
        let fixture = try filled(.sqlite)
        _ = try fixture.store().commit([.of(at: fixture.now)])
        try SQLiteDatabase(path: fixture.path).write {
            try $0.execute(sql: "DELETE FROM ledger_checkpoints; DELETE FROM ledger_records WHERE number > 18")
        }
        #expect(try fixture.verify().faults.map(\.number) == [19])
    }

    @Test("Checkpoints of another key are none")
    func otherKey() throws {
        let fixture = try filled(.sqlite)
        let other = KeySigner().key.publicKey
        let found = try LedgerVerifier(try SQLiteDatabase(path: fixture.path), key: other).verify()
        #expect(found.faults.map(\.number) == [10])
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

    @Test("Retention leaves a stump that nobody can lengthen")
    func stump() throws {
        let fixture = try LedgerFixture(.sqlite)
        let store = try fixture.store(retentionDays: 10)
        for _ in 0..<2 {
            for index in 0..<5 { _ = try store.commit([.of(account: "\(index)", at: fixture.now)]) }
            fixture.advance(days: 8)
        }
        #expect(try store.deleteOld(countingFrom: fixture.now) == 5)
        try SQLiteDatabase(path: fixture.path).write {
            try $0.execute(sql: "DELETE FROM ledger_records WHERE number = 6")
        }
        #expect(try fixture.verify().faults.map(\.number) == [6])
    }
}
