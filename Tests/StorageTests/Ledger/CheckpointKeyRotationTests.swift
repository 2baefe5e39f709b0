import Crypto
import Foundation
import Offers
import Testing

@testable import Storage

@Suite("Changes of the ledger's checkpoint key", .timeLimit(.minutes(30)))
struct CheckpointKeyRotationTests {
    /// A ledger whose checkpoint key was changed twice: two chains by the first key, with all records of the first one and one
    /// of the second deleted for their age, one chain by the second key, and an open one by the third.
    private struct Scene {
        let fixture: LedgerFixture
        let keys: [KeySigner]
        /// The anchor from before the first change.
        let anchor: LedgerAnchor

        init(_ home: LedgerHome) throws {
            fixture = try LedgerFixture(home)
            keys = [fixture.signer, KeySigner(), KeySigner()]
            do {
                let ended = try fixture.store()
                _ = try ended.commit([.of(count: 3, at: fixture.now)])
                try ended.endChain()
                let crashed = try fixture.store(retentionDays: 10)
                _ = try crashed.commit([.of(count: 1, at: fixture.now)])
                fixture.advance(days: 20)
                _ = try crashed.commit([.of(count: 4, at: fixture.now)])
                try crashed.writeCheckpoint()
                while try crashed.deleteOld(countingFrom: fixture.now) > 0 {}
            }
            anchor = try fixture.verifySound().anchor
            try Self.rotate(fixture, from: keys[0], to: keys[1])
            do {
                let second = try fixture.store(by: keys[1])
                _ = try second.commit([.of(count: 2, at: fixture.now)])
                try second.writeCheckpoint()
            }
            try Self.rotate(fixture, from: keys[1], to: keys[2])
            let third = try fixture.store(by: keys[2])
            _ = try third.commit([.of(count: 2, at: fixture.now)])
            try third.writeCheckpoint()
        }

        /// Changes the key, as soon as the server has noticed that nobody writes any more.
        static func rotate(_ fixture: LedgerFixture, from old: KeySigner, to new: KeySigner) throws {
            let deadline = ContinuousClock.now + .seconds(60)
            while true {
                do throws(StorageFailure) {
                    try CheckpointKeyRotationTests.rotate(fixture, from: old, to: new)
                    return
                } catch {
                    guard error.code == .locked, fixture.home == .postgresql, .now < deadline else { throw error }
                    usleep(100_000)
                }
            }
        }

        /// What verification says by the newest key.
        func verify(anchor: LedgerAnchor? = nil) throws -> LedgerVerification {
            try LedgerVerifier(try fixture.database(readOnly: true), key: keys[2].key.publicKey).verify(anchor: anchor)
        }

        func faults() throws -> [String] { try verify().faults.map(\.description) }
    }

    private static func rotate(
        _ fixture: LedgerFixture,
        from old: KeySigner,
        to new: KeySigner
    ) throws(StorageFailure) {
        do {
            let (database, keys) = (try fixture.database(), (try ledgerKeys(old), try ledgerKeys(new)))
            _ = try CheckpointKeyRotation.rotate(database, from: keys.0, to: keys.1, at: fixture.now)
        } catch {
            throw error as? StorageFailure ?? StorageFailure(.unavailable, "\(error)")
        }
    }

    @Test(
        "After two changes all is in order by the newest key, also with an anchor of before",
        arguments: LedgerHome.allCases
    )
    func sound(home: LedgerHome) throws {
        let scene = try Scene(home)
        let found = try scene.verify(anchor: scene.anchor)
        #expect(found.faults.isEmpty, "\(found.faults)")
        #expect(found.keyChanges.map(\.number) == [1, 2])
        #expect(found.keyChanges.map(\.chains) == [2, 3])
        #expect(found.chains == 4)
        #expect(found.records == 4 + 2 + 2)
    }

    @Test("Old records of before a change are deleted after it", arguments: LedgerHome.allCases)
    func retention(home: LedgerHome) throws {
        let scene = try Scene(home)
        scene.fixture.advance(days: 20)
        let store = try scene.fixture.store(retentionDays: 10, by: scene.keys[2])
        while try store.deleteOld(countingFrom: scene.fixture.now) > 0 {}
        let found = try scene.verify(anchor: scene.anchor)
        #expect(found.faults.isEmpty, "\(found.faults)")
        #expect(found.records == 0)
    }

    @Test("A lost record of before a change stays known, and acknowledged", arguments: LedgerHome.allCases)
    func losses(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        do {
            let store = try fixture.store()
            _ = try store.commit([.of(at: fixture.now)])
            try store.writeCheckpoint()
            try fixture.keep()
            _ = try store.commit([.of(at: fixture.now)])
            try fixture.restore()
            #expect(throws: StorageFailure.self) { try store.commit([.of(at: fixture.now)]) }
            #expect(try store.acknowledgeLosses().count == 1)
        }
        let new = KeySigner()
        try Scene.rotate(fixture, from: fixture.signer, to: new)
        let found = try LedgerVerifier(try fixture.database(), key: new.key.publicKey).verify()
        #expect(found.faults.isEmpty, "\(found.faults)")
        #expect(found.losses.map(\.isAcknowledged) == [true])
    }

    @Test("No change can be changed, in any column, nor taken away, nor made up", arguments: LedgerHome.allCases)
    func tampered(home: LedgerHome) throws {
        let scene = try Scene(home)
        let table = "ledger_key_changes"
        try scene.fixture.dropKey(of: table)
        try scene.fixture.execute("CREATE TABLE kept AS SELECT * FROM \(table)")
        func expectFault(_ sql: String..., words: String) throws {
            for sql in sql { try scene.fixture.execute(sql) }
            let faults = try scene.faults()
            #expect(faults.contains { $0.contains(words) }, "\(sql): \(faults)")
            try scene.fixture.execute("DELETE FROM \(table)", "INSERT INTO \(table) SELECT * FROM kept")
            #expect(try scene.faults().isEmpty)
        }
        for number in [1, 2] {
            let name = "change \(number) of the checkpoint key"
            for column in ["number", "time", "chains"] {
                let words = column == "number" ? "of the checkpoint key is not preceded by" : name
                try expectFault("UPDATE \(table) SET \(column) = \(column) + 1 WHERE number = \(number)", words: words)
            }
            for column in ["old_key", "new_key", "digest", "old_signature", "new_signature"] {
                let other = "(SELECT other.\(column) FROM kept AS other WHERE other.number <> \(number))"
                try expectFault("UPDATE \(table) SET \(column) = \(other) WHERE number = \(number)", words: name)
            }
        }
        try expectFault("DELETE FROM \(table) WHERE number = 1", words: "is not preceded by change 1, which is missing")
        try expectFault("DELETE FROM \(table) WHERE number = 2", words: "that change is missing")
        try expectFault("DELETE FROM \(table)", words: "or a change of the key is missing")
        try expectFault("INSERT INTO \(table) SELECT * FROM kept WHERE number = 2", words: "this one was put in")
        try expectFault(
            "INSERT INTO \(table) SELECT 3, old_key, new_key, time, chains, digest, old_signature, new_signature FROM kept "
                + "WHERE number = 2",
            words: "change 3 of the checkpoint key"
        )
    }

    @Test("Nothing is signed by who finds a change that was changed", arguments: LedgerHome.allCases)
    func refused(home: LedgerHome) throws {
        let scene = try Scene(home)
        try scene.fixture.execute("UPDATE ledger_key_changes SET time = time + 1 WHERE number = 2")
        let failure = #expect(throws: StorageFailure.self) {
            try scene.fixture.store(by: scene.keys[2]).commit([.of(at: scene.fixture.now)])
        }
        #expect(failure?.detail.contains("change 2 of the checkpoint key") == true, "\(failure?.detail ?? "")")
    }

    @Test("Who has an old key forges no chain of before the change", arguments: LedgerHome.allCases)
    func forged(home: LedgerHome) throws {
        let scene = try Scene(home)
        let database = try scene.fixture.database()
        let old = try ledgerKeys(scene.keys[0])
        let chains = try database.signatures().chains
        // The second chain, cut short, and its end signed anew; then a deletion for age that nobody made.
        for (kind, words) in [
            (LedgerStatement.Kind.end, "do not begin and end as was signed"),
            (.retention, "but not by the checkpoint key"),
        ] {
            try database.transaction(.beside) { session throws(StorageFailure) in
                let head = try session.run(
                    "SELECT number, hash FROM ledger_records WHERE number = 3 AND writer = $1",
                    .text(chains[1].writer)
                ).head()
                guard let head else { return }
                try session.put(try LedgerStatement(kind, of: chains[1], at: head, time: scene.fixture.now, keys: old))
                if kind == .retention {
                    try session.run(
                        "DELETE FROM ledger_records WHERE writer = $1 AND number <= 3",
                        .text(chains[1].writer)
                    )
                }
            }
            let faults = try scene.faults()
            #expect(faults.contains { $0.contains(words) }, "\(kind): \(faults)")
        }
    }

    @Test(
        "The old key is refused by name, when a ledger is opened and by who had it open",
        arguments: LedgerHome.allCases
    )
    func oldKey(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let new = KeySigner()
        func marks(_ signer: KeySigner) -> LedgerKeyMarks {
            LedgerKeyMarks(digestKey: nil, checkpointKeySPKI: Array(signer.key.publicKey.derRepresentation))
        }
        try await fixture.open(with: marks(fixture.signer))
        let ended = try fixture.store()
        _ = try ended.commit([.of(at: fixture.now)])
        try ended.endChain()
        // It has nothing open, and so is not seen.
        let idle = try fixture.store(retentionDays: 10)
        try Scene.rotate(fixture, from: fixture.signer, to: new)
        fixture.advance(days: 20)
        for work in [
            { _ = try idle.commit([.of(at: fixture.now)]) }, { _ = try idle.deleteOld(countingFrom: fixture.now) },
        ] {
            let failure = #expect(throws: StorageFailure.self) { try work() }
            #expect(failure?.detail.contains("rotate-checkpoint-key") == true, "\(failure?.detail ?? "")")
        }
        for readOnly in [false, true] {
            let failure = await #expect(throws: StorageFailure.self) {
                try await fixture.open(with: marks(fixture.signer), readOnly: readOnly)
            }
            #expect(failure?.code == .otherKeys)
            #expect(failure?.detail.contains("rotate-checkpoint-key") == true, "\(failure?.detail ?? "")")
        }
        try await fixture.open(with: marks(new))
    }

    @Test("The key is not changed while a service writes, nor to one that was in use", arguments: LedgerHome.allCases)
    func inUse(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let (second, third) = (KeySigner(), KeySigner())
        do {
            let store = try fixture.store()
            _ = try store.commit([.of(at: fixture.now)])
            let failure = #expect(throws: StorageFailure.self) {
                try Self.rotate(fixture, from: fixture.signer, to: second)
            }
            #expect(failure?.code == .locked)
            // It goes on as if nothing had been.
            _ = try store.commit([.of(at: fixture.now)])
            try store.writeCheckpoint()
        }
        try fixture.verifySound()
        try Scene.rotate(fixture, from: fixture.signer, to: second)
        for used in [fixture.signer, second] {
            let failure = #expect(throws: StorageFailure.self) { try Scene.rotate(fixture, from: second, to: used) }
            #expect(failure?.code == .refused)
        }
        try Scene.rotate(fixture, from: second, to: third)
    }
}
