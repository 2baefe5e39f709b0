import Crypto
import Foundation
import Offers
import Testing

@testable import Storage

@Suite("Attacks with write access to the ledger's database, without a key", .timeLimit(.minutes(30)))
struct LedgerAttackTests {
    /// The tables of the ledger, with the columns that name a row and all of them.
    private static let tables: [(name: String, key: [String], columns: [String])] = [
        (
            "ledger_chains", ["writer"],
            ["writer", "started_at", "previous_writer", "previous_number", "previous_hash", "signature"]
        ),
        ("ledger_records", ["writer", "number"], LedgerSQL.recordColumns.components(separatedBy: ", ")),
        ("ledger_statements", ["writer", "kind"], ["writer", "kind", "number", "hash", "time", "signature"]),
        ("ledger_checkpoints", ["id"], ["id", "chains", "newest", "open", "time", "signature"]),
    ]
    private static let numbers: Set = ["id", "number", "time", "timestamp", "started_at", "previous_number", "chains"]
    private static let bytes: Set = ["hash", "signature", "account", "customer", "previous_hash"]

    /// A ledger of three chains of four records, in tables in which nothing keeps rows apart any more.
    ///
    /// The first was ended by its own writer, and its first record was deleted for its age; the second was ended by the next
    /// start; the third is open.
    private struct Scene {
        let fixture: LedgerFixture
        let database: any SQLDatabase
        let open: LedgerStore
        let writers: [String]

        init(_ home: LedgerHome) throws {
            fixture = try LedgerFixture(home)
            do {
                let first = try fixture.store(retentionDays: 10)
                _ = try first.commit([.of(count: 1, at: fixture.now)])
                fixture.advance(days: 20)
                _ = try first.commit([.of(count: 3, at: fixture.now)])
                try first.endChain()
                #expect(try first.deleteOld(countingFrom: fixture.now) == 1)
                let crashed = try fixture.store()
                _ = try crashed.commit([.of(count: 4, at: fixture.now)])
            }
            // A connection that is gone is so for the server a little later.
            usleep(home == .postgresql ? 500_000 : 0)
            open = try fixture.store()
            _ = try open.commit([.of(count: 4, at: fixture.now)])
            try open.writeCheckpoint()
            database = try fixture.database()
            writers = try database.signatures().chains.map(\.writer)
            #expect(try database.signatures().statements.count == 3)
            for table in LedgerFixture.chains { try fixture.dropKey(of: table, in: database) }
            try fixture.keep(in: database)
            #expect(try faults().isEmpty)
        }

        func run(_ statements: String...) throws { try fixture.execute(statements, in: database) }

        /// Puts all back as it was.
        func restore() throws { try fixture.restore(in: database) }

        /// What verification says, also where it could not be done.
        func faults(_ anchor: LedgerAnchor? = nil) throws -> [String] {
            do throws(StorageFailure) {
                return try LedgerVerifier(database, key: fixture.signer.key.publicKey).verify(anchor: anchor).faults
                    .map(\.description)
            } catch {
                guard error.code == .malformed else { throw error }
                return [error.detail]
            }
        }

        func literal(_ bytes: [UInt8]) -> String {
            fixture.home == .sqlite ? "x'\(Hexadecimal.text(bytes))'" : "decode('\(Hexadecimal.text(bytes))', 'hex')"
        }

        /// The conditions that name each row of a table.
        func rows(of name: String, _ key: [String]) throws -> [String] {
            let rows = try database.read { session throws(StorageFailure) in
                try session.run("SELECT \(key.joined(separator: ", ")) FROM \(name)")
            }
            return rows.rows.map { row in
                key.indices.map { column in
                    switch rows.cells[row * key.count + column] {
                    case .integer(let number): "\(key[column]) = \(number)"
                    case .text(let text): "\(key[column]) = '\(text)'"
                    case let other: "\(other)"
                    }
                }.joined(separator: " AND ")
            }
        }

        /// Changes a chain's record, and computes all hashes after it anew.
        func rewrite(_ writer: String, from number: Int64) throws {
            var records = try database.records(of: writer, after: number - 1, limit: 100)
            let before = try database.records(of: writer, after: number - 2, limit: 1).first
            var hash = try before.flatMap { $0.number == number - 1 ? $0.hash : nil } ?? beginning(of: writer)
            for index in records.indices {
                if index == 0 { records[0].reason = "active" }
                hash = records[index].computedHash(after: hash)
                try run(
                    "UPDATE ledger_records SET reason = '\(records[index].reason)', hash = \(literal(hash)) "
                        + "WHERE writer = '\(writer)' AND number = \(records[index].number)"
                )
            }
        }

        private func beginning(of writer: String) throws -> [UInt8] {
            try #require(try database.signatures().chains.first { $0.writer == writer }).beginning
        }
    }

    @Test("No row of it can be changed, in any of its columns", arguments: LedgerHome.allCases)
    func changed(home: LedgerHome) throws {
        let scene = try Scene(home)
        for table in Self.tables {
            for row in try scene.rows(of: table.name, table.key) {
                for column in table.columns {
                    let (given, instead) =
                        Self.numbers.contains(column)
                        ? ("\(column) + 1", "7")
                        : Self.bytes.contains(column)
                            ? (scene.literal([0, 1]), scene.literal([2])) : ("\(column) || 'x'", "'x'")
                    let value = "CASE WHEN \(column) IS NULL THEN \(instead) ELSE \(given) END"
                    try scene.run("UPDATE \(table.name) SET \(column) = \(value) WHERE \(row)")
                    #expect(try !scene.faults().isEmpty, "\(table.name).\(column) where \(row)")
                    try scene.restore()
                }
            }
        }
        #expect(try scene.faults().isEmpty)
    }

    @Test("No row of it can be deleted, doubled or moved to another chain", arguments: LedgerHome.allCases)
    func moved(home: LedgerHome) throws {
        let scene = try Scene(home)
        for table in Self.tables {
            for row in try scene.rows(of: table.name, table.key) {
                try scene.run("DELETE FROM \(table.name) WHERE \(row)")
                #expect(try !scene.faults().isEmpty, "\(row) deleted from \(table.name)")
                try scene.restore()
                try scene.run("INSERT INTO \(table.name) SELECT * FROM \(table.name) WHERE \(row)")
                #expect(try !scene.faults().isEmpty, "\(row) doubled in \(table.name)")
                try scene.restore()
                guard table.columns.contains("writer") else { continue }
                for writer in scene.writers where !row.contains(writer) {
                    try scene.run("UPDATE \(table.name) SET writer = '\(writer)' WHERE \(row)")
                    #expect(try !scene.faults().isEmpty, "\(row) moved in \(table.name)")
                    try scene.restore()
                }
            }
        }
    }

    @Test(
        "Without the statements no history can be rewritten: one, all, those of one chain",
        arguments: LedgerHome.allCases
    )
    func rewritten(home: LedgerHome) throws {
        let scene = try Scene(home)
        let (first, second, third) = (scene.writers[0], scene.writers[1], scene.writers[2])
        let attacks: [(String, [String])] = [
            ("all statements", ["DELETE FROM ledger_statements", "DELETE FROM ledger_checkpoints"]),
            ("the checkpoint", ["DELETE FROM ledger_checkpoints"]),
            ("the ends", ["DELETE FROM ledger_statements WHERE kind = 'end'"]),
            ("an end", ["DELETE FROM ledger_statements WHERE kind = 'end' AND writer = '\(second)'"]),
            ("those of a chain", ["DELETE FROM ledger_statements WHERE writer = '\(first)'"]), ("none", []),
        ]
        for (name, statements) in attacks {
            for writer in [second, third] {
                try scene.rewrite(writer, from: 2)
                for sql in statements { try scene.run(sql) }
                #expect(try !scene.faults().isEmpty, "\(name), chain \(writer)")
                try scene.restore()
            }
        }
        // Nor can the end of a chain be cut off together with the statement that it ended.
        try scene.run(
            "DELETE FROM ledger_statements WHERE kind = 'end' AND writer = '\(second)'",
            "DELETE FROM ledger_records WHERE writer = '\(second)' AND number > 2"
        )
        #expect(try scene.faults().contains { $0.contains("statement that it ended is missing") })
    }

    @Test("No chain can be left out or put in", arguments: LedgerHome.allCases)
    func chains(home: LedgerHome) throws {
        let scene = try Scene(home)
        for (index, writer) in scene.writers.enumerated() {
            for table in ["ledger_records", "ledger_statements", "ledger_chains"] {
                try scene.run("DELETE FROM \(table) WHERE writer = '\(writer)'")
            }
            #expect(try scene.faults().contains { $0.contains("is missing, with all its records") }, "\(index)")
            if index + 1 < scene.writers.count {
                // The next one says no more of it.
                try scene.run(
                    "UPDATE ledger_chains SET (previous_writer, previous_number, previous_hash) = "
                        + "(SELECT previous_writer, previous_number, previous_hash FROM kept_ledger_chains "
                        + "WHERE writer = '\(writer)') WHERE writer = '\(scene.writers[index + 1])'"
                )
                #expect(try scene.faults().contains { $0.contains("its beginning is not by the checkpoint key") })
            }
            try scene.restore()
        }
        // One more, after the last, which names that, with whatever signature.
        for signature in ["signature", scene.literal([1])] {
            try scene.run(
                "INSERT INTO ledger_chains SELECT 'ffffffffffffffff', started_at + 1, writer, 4, previous_hash, "
                    + "\(signature) FROM ledger_chains WHERE writer = '\(scene.writers[2])'"
            )
            #expect(try scene.faults().contains { $0.contains("its beginning is not by the checkpoint key") })
            try scene.restore()
        }
    }

    @Test("No deletion for age can be made up, or made longer", arguments: LedgerHome.allCases)
    func retention(home: LedgerHome) throws {
        let scene = try Scene(home)
        for writer in scene.writers {
            for signature in ["signature", scene.literal([1])] {
                try scene.run(
                    "DELETE FROM ledger_statements WHERE kind = 'retention' AND writer = '\(writer)'",
                    "INSERT INTO ledger_statements SELECT '\(writer)', 'retention', records.number, records.hash, "
                        + "records.time, \(signature) FROM kept_ledger_statements AS kept, ledger_records AS records "
                        + "WHERE kept.kind = 'retention' AND records.writer = '\(writer)' AND records.number = 2",
                    "DELETE FROM ledger_records WHERE writer = '\(writer)' AND number <= 2"
                )
                #expect(try scene.faults().contains { $0.contains("said to have been deleted for its age") })
                try scene.restore()
            }
        }
    }

    @Test("The service's next signature repairs none of it: it refuses to go on", arguments: LedgerHome.allCases)
    func signedOver(home: LedgerHome) throws {
        let attacks = [
            "DELETE FROM ledger_records WHERE number = 4", "DELETE FROM ledger_checkpoints",
            "UPDATE ledger_checkpoints SET open = ''", "UPDATE ledger_checkpoints SET chains = 2",
            "UPDATE ledger_records SET hash = client WHERE number = 4",
        ]
        for attack in attacks {
            let fixture = try LedgerFixture(home)
            do {
                let crashed = try fixture.store()
                _ = try crashed.commit([.of(count: 4, at: fixture.now)])
                try crashed.writeCheckpoint()
            }
            let value = home == .sqlite ? "x'00'" : "decode('00', 'hex')"
            try fixture.execute(attack.replacing("= client", with: "= \(value)"))
            let next = try fixture.store()
            let failure = #expect(throws: StorageFailure.self) { try next.commit([.of(at: fixture.now)]) }
            #expect(failure?.code == .malformed, "\(attack): \(failure?.detail ?? "")")
            #expect(throws: StorageFailure.self) { try next.writeCheckpoint() }
            let faults = try? fixture.verify().faults
            #expect(faults?.isEmpty != true, "\(attack)")
        }
    }

    @Test("A record whose time was set back is not deleted for its age", arguments: LedgerHome.allCases)
    func aged(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store(retentionDays: 10)
        _ = try store.commit([.of(count: 4, at: fixture.now)])
        try fixture.execute("UPDATE ledger_records SET time = 0 WHERE number <= 2")
        #expect(throws: StorageFailure(.malformed, "")) { try store.deleteOld(countingFrom: fixture.now) }
        #expect(try fixture.verify().faults.map(\.number) == [1])
    }

    @Test(
        "A ledger that was set back as a whole is found by an anchor, and by nothing else",
        arguments: LedgerHome.allCases
    )
    func anchor(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        _ = try store.commit([.of(count: 4, at: fixture.now)])
        try store.writeCheckpoint()
        let early = try fixture.verify().anchor
        try fixture.keep()
        _ = try store.commit([.of(count: 2, at: fixture.now)])
        try store.writeCheckpoint()
        let grown = try fixture.verify().anchor
        try store.endChain()
        let ended = try fixture.verify().anchor
        _ = try store.commit([.of(at: fixture.now)])
        try store.writeCheckpoint()
        let late = try fixture.verify().anchor
        for anchor in [early, grown, ended, late] { #expect(try fixture.verify(anchor: anchor).faults.isEmpty) }
        try fixture.restore()
        try fixture.verifySound()
        #expect(try fixture.verify(anchor: early).faults.isEmpty)
        #expect(try fixture.verify(anchor: grown).faults.map(\.number) == [5])
        #expect(try !fixture.verify(anchor: ended).faults.isEmpty)
        #expect(try fixture.verify(anchor: late).faults.first?.detail.contains("it was set back") == true)
        let other = try LedgerFixture(home)
        _ = try other.store().commit([.of(count: 9, at: fixture.now)])
        #expect(try !other.verify(anchor: early).faults.isEmpty)
    }

    @Test(
        "A writer whose chain another has ended meanwhile notices with its next commit, and begins a new one",
        arguments: LedgerHome.allCases
    )
    func stalled(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let stalled = try fixture.store()
        _ = try stalled.commit([.of(count: 2, at: fixture.now)])
        let (signer, now) = (fixture.signer, fixture.now)
        let keys = try ledgerKeys(signer)
        try fixture.database().transaction(.beside) { session throws(StorageFailure) in
            var signing = try LedgerSigning(session, keys: keys, now: now)
            try signing.end(goneOf: signing.openWriters)
            try signing.finish()
        }
        #expect(try fixture.verify().anchor.open.isEmpty)
        #expect(try stalled.commit([.of(count: 3, at: fixture.now)]) == [[.recorded, .recorded, .recorded]])
        let found = try fixture.verifySound()
        #expect(found.chains == 2 && found.records == 5)
        #expect(Set(try fixture.records().map(\.writer)).count == 2)
    }

    @Test(
        "A chain is ended by its own writer at a stop, and by the next start where that crashed",
        arguments: LedgerHome.allCases
    )
    func ends(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        do {
            Journal(try fixture.store(), now: { fixture.now }).close()
            let stopped = try fixture.store()
            _ = try stopped.commit([.of(at: fixture.now)])
            try stopped.endChain()
            #expect(try fixture.verify().anchor.open.isEmpty)
            let crashed = try fixture.store()
            _ = try crashed.commit([.of(at: fixture.now)])
            #expect(try fixture.verify().anchor.open.count == 1)
        }
        let deadline = Date() + 30
        while try !fixture.verify().anchor.open.isEmpty, Date() < deadline {
            try fixture.store().writeCheckpoint()
            usleep(50_000)
        }
        let found = try fixture.verify()
        #expect(found.faults.isEmpty && found.anchor.open.isEmpty, "\(found.faults)")
        // One that is at work is not ended by whoever comes.
        let working = try fixture.store()
        _ = try working.commit([.of(at: fixture.now)])
        try fixture.store().writeCheckpoint()
        _ = try fixture.store().commit([.of(at: fixture.now)])
        _ = try working.commit([.of(at: fixture.now)])
        #expect(try fixture.verify().chains == 4)
    }
}
