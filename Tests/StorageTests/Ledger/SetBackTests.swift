import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("A database that was set back, or lost what a service remembers", .timeLimit(.minutes(30)))
struct SetBackTests {
    @Test(
        "The replica that lost nothing says so, too: nothing is signed anywhere until an operator knows of it",
        arguments: LedgerHome.allCases
    )
    func other(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let (first, second) = (try fixture.store(), try fixture.store())
        _ = try first.commit([.of(count: 3, at: fixture.now)])
        _ = try second.commit([.of(count: 1, at: fixture.now)])
        for store in [first, second] { try store.writeCheckpoint() }
        try fixture.keep()
        _ = try first.commit([.of(count: 2, at: fixture.now)])
        try first.writeCheckpoint()
        try second.writeCheckpoint()
        let anchor = try fixture.verify().anchor
        try fixture.restore()
        // The other one alone, and without a signature: it remembers what it saw.
        let failure = #expect(throws: StorageFailure(.recordsLost, "")) { try second.writeCheckpoint() }
        #expect(failure?.detail.contains("lost 2 records") == true, "\(failure?.detail ?? "")")
        for store in [second, first, try fixture.store()] {
            #expect(throws: StorageFailure(.recordsLost, "")) { try store.commit([.of(at: fixture.now)]) }
            // Also by who saw nothing of it, and is asked for nothing.
            #expect(throws: StorageFailure(.recordsLost, "")) { try store.writeCheckpoint() }
            #expect(throws: StorageFailure(.recordsLost, "")) { try fixture.store().writeCheckpoint() }
        }
        let found = try fixture.verifySound(anchor: anchor)
        #expect(found.losses.map(\.count) == [2])
        #expect(try fixture.store().acknowledgeLosses().map(\.count) == [2])
        for store in [first, second] {
            try store.writeCheckpoint()
            #expect(try store.commit([.of(at: fixture.now)]) == [[.recorded]])
        }
        let later = try fixture.verify(anchor: anchor)
        #expect(later.faults.isEmpty && later.losses.map(\.isAcknowledged) == [true], "\(later.faults)")
    }

    @Test("A replica that saw less than the writer is corrected by it", arguments: LedgerHome.allCases)
    func longer(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let (first, second) = (try fixture.store(), try fixture.store())
        _ = try first.commit([.of(count: 1, at: fixture.now)])
        try first.writeCheckpoint()
        try fixture.keep()
        _ = try first.commit([.of(count: 2, at: fixture.now)])
        try second.writeCheckpoint()
        _ = try first.commit([.of(count: 4, at: fixture.now)])
        try fixture.restore()
        #expect(throws: StorageFailure(.recordsLost, "")) { try second.writeCheckpoint() }
        #expect(try fixture.verify().losses.map(\.count) == [2])
        #expect(throws: StorageFailure(.recordsLost, "")) { try first.probe() }
        #expect(try fixture.verify().losses.map(\.count) == [6])
    }

    @Test(
        "A new connection may lead to another server: what others have lost there is found before anything is signed",
        arguments: [true, false]
    )
    func newConnection(hasSigned: Bool) throws {
        let fixture = try LedgerFixture(.postgresql)
        let (first, second) = (try fixture.store(), try fixture.store())
        for store in hasSigned ? [first, second] : [first] { _ = try store.commit([.of(at: fixture.now)]) }
        for store in [first, second] { try store.writeCheckpoint() }
        try fixture.keep()
        _ = try first.commit([.of(count: 2, at: fixture.now)])
        for store in [first, second] { try store.writeCheckpoint() }
        try fixture.restore()
        try fixture.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                + "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        // The writer connects again by itself.
        var failure: StorageFailure?
        for _ in 0..<1000 where failure == nil || failure?.code == .unavailable {
            failure = #expect(throws: StorageFailure.self) { try second.commit([.of(at: fixture.now)]) }
        }
        #expect(failure == StorageFailure(.recordsLost, ""))
    }

    @Test("Records that are deleted for their age, with their statement, are no loss", arguments: LedgerHome.allCases)
    func aged(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let (first, second) = (try fixture.store(retentionDays: 10), try fixture.store())
        _ = try first.commit([.of(count: 3, at: fixture.now)])
        for store in [first, second] { try store.writeCheckpoint() }
        fixture.advance(days: 20)
        while try second.deleteOld(countingFrom: fixture.now) > 0 {}
        while try first.deleteOld(countingFrom: fixture.now) > 0 {}
        #expect(try fixture.records().isEmpty)
        for store in [second, first] {
            try store.writeCheckpoint()
            #expect(try store.commit([.of(at: fixture.now)]) == [[.recorded]])
            try store.writeCheckpoint()
        }
        try fixture.verifySound()
        // Without the statement they are missing.
        try fixture.execute("DELETE FROM ledger_statements WHERE kind = 'retention'")
        #expect(try !fixture.verify().faults.isEmpty)
    }

    @Test("A record that somebody puts after a writer's own is not signed for by it", arguments: LedgerHome.allCases)
    func putIn(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        _ = try store.commit([.of(count: 2, at: fixture.now)])
        var record = try #require(try fixture.records().last)
        let before = record.hash
        record.number += 1
        record.hash = record.computedHash(after: before)
        let forged = record
        try fixture.database().transaction(.beside) { session throws(StorageFailure) in
            try session.insert([forged], [:])
        }
        try store.writeCheckpoint()
        for _ in 0..<2 {
            let failure = #expect(throws: StorageFailure(.malformed, "")) { try store.commit([.of(at: fixture.now)]) }
            #expect(failure?.detail.contains("record 3 of chain") == true, "\(failure?.detail ?? "")")
            #expect(throws: StorageFailure(.malformed, "")) { try store.endChain() }
        }
        #expect(try fixture.database().signatures().checkpoints.first?.open.values.map(\.number) == [2])
    }

    @Test("What another has left beyond the newest checkpoint is signed by who sees it stand still, if its hashes fit")
    func left() throws {
        let fixture = try LedgerFixture(.sqlite)
        let (first, second) = (try fixture.store(), try fixture.store())
        _ = try first.commit([.of(count: 3, at: fixture.now)])
        try second.writeCheckpoint()
        #expect(try fixture.verify().uncovered == 3)
        try second.writeCheckpoint()
        #expect(try fixture.verify().uncovered == 0)
        _ = try first.commit([.of(count: 3, at: fixture.now)])
        try fixture.execute("UPDATE ledger_records SET client = 'other' WHERE number = 5")
        try second.writeCheckpoint()
        #expect(throws: StorageFailure(.malformed, "")) { try second.writeCheckpoint() }
        #expect(try fixture.database().signatures().checkpoints.first?.open.values.map(\.number) == [3])
    }

    @Test("A commit that is not kept as it was written is not reported as done", arguments: LedgerHome.allCases)
    func readBack(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        _ = try fixture.store().commit([.of(count: 2, at: fixture.now)])
        let records = try fixture.records()
        let database = try fixture.database()
        func read(_ change: @escaping @Sendable (inout LedgerBatch.Decision) -> Void) -> StorageFailure? {
            do throws(StorageFailure) {
                try database.transaction(.beside) { session throws(StorageFailure) in
                    var decision = LedgerBatch.Decision()
                    decision.records = records
                    change(&decision)
                    try LedgerReadBack.expect(decision, in: session)
                }
                return nil
            } catch {
                return error
            }
        }
        let subscription = PresentedSubscription(
            bundleId: "com.example.reader",
            environment: "Production",
            originalTransactionId: "1000"
        )
        #expect(read { _ in } == nil)
        var failures = [
            read { $0.records[1].client = "other" }, read { $0.records.removeLast() },
            read { $0.records[1].customer = [1] },
            read {
                let call = RetentionCallKey(requestIdentifier: "none", subscription: identity("1000"))
                let asked = AskedCall(.retention(call), at: fixture.now, digestKey: testDigestKey)
                $0.answers = [(try? asked.row([1], to: nil, at: fixture.now))].compactMap(\.self)
            },
        ]
        if home == .postgresql { failures.append(read { $0.presentations = [subscription: [[1]: 1]] }) }
        for failure in failures { #expect(failure == StorageFailure(.malformed, "")) }
    }

    @Test(
        "A record that is taken away while it is written, or a presentation that is not kept, is not reported as done",
        arguments: [
            // Such a trigger is the connection's own, and nobody else can put one there.
            "AFTER INSERT ON ledger_records BEGIN DELETE FROM ledger_records WHERE number = new.number; END",
            "BEFORE INSERT ON ledger_presentations BEGIN SELECT RAISE(IGNORE); END",
        ]
    )
    func takenAway(trigger: String) throws {
        let fixture = try LedgerFixture(.sqlite)
        _ = try fixture.store()
        fixture.rule.withLock { $0 = "CREATE TEMP TRIGGER taken \(trigger)" }
        let store = try fixture.store()
        let entry = LedgerEntry.of(maximumAccounts: 3, at: fixture.now)
        let failure = #expect(throws: StorageFailure(.malformed, "")) { try store.commit([entry]) }
        #expect(failure?.detail.contains("did not keep what was written") == true, "\(failure?.detail ?? "")")
        fixture.rule.withLock { $0 = nil }
        #expect(try fixture.records().isEmpty)
    }

    @Test("What somebody has put off to the end of a transaction happens before that is read back")
    func putOff() throws {
        let fixture = try LedgerFixture(.postgresql)
        _ = try fixture.store().commit([.of(at: fixture.now)])
        var record = try #require(try fixture.records().last)
        record.number += 1
        let later = record
        try fixture.execute(
            "CREATE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql AS "
                + "'BEGIN DELETE FROM ledger_records; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER evil AFTER INSERT ON ledger_records DEFERRABLE INITIALLY DEFERRED "
                + "FOR EACH ROW EXECUTE FUNCTION evil()"
        )
        // By a connection that does not look at the tables.
        #expect(throws: StorageFailure(.malformed, "")) {
            try fixture.database().transaction(.beside) { session throws(StorageFailure) in
                var decision = LedgerBatch.Decision()
                decision.records = [later]
                try session.write(decision)
                try LedgerReadBack.expect(decision, in: session)
            }
        }
    }
}
