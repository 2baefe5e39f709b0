import Dispatch
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("The ledger's thread", .timeLimit(.minutes(30)))
struct DurableLedgerTests {
    /// A store in which there is always something old to delete.
    private final class EndlessStore: LedgerStore {
        let deletions = Atomic(0)
        let checkpoints = Atomic(0)
        let commits = Atomic(0)

        func commit(_ entries: [LedgerEntry], while isWanted: @escaping @Sendable () -> Bool) -> [[GrantOutcome]] {
            commits.add(1, ordering: .relaxed)
            return entries.map { $0.grants.map { _ in .recorded } }
        }

        func probe() {}

        func writeCheckpoint() { checkpoints.add(1, ordering: .relaxed) }

        func endChain() {}

        func newestRecord(before moment: Timestamp) -> Timestamp? { moment }

        func deleteOld(countingFrom moment: Timestamp) -> Int { deletions.add(1, ordering: .relaxed).newValue }

        func forgetPresentations(of customer: String, bundleId: String) -> Int { 0 }

        func answer(to question: LedgerQuestion) -> LedgerAnswer { LedgerAnswer() }
    }

    /// A store in which a deletion fails now and then.
    private final class FlakyStore: LedgerStore {
        let deletions = Atomic(0)

        func commit(_ entries: [LedgerEntry], while isWanted: @escaping @Sendable () -> Bool) -> [[GrantOutcome]] {
            entries.map { $0.grants.map { _ in .recorded } }
        }

        func probe() {}

        func writeCheckpoint() {}

        func endChain() {}

        func newestRecord(before moment: Timestamp) -> Timestamp? { moment }

        func deleteOld(countingFrom moment: Timestamp) throws(StorageFailure) -> Int {
            switch deletions.add(1, ordering: .relaxed).newValue {
            case 1, 3: throw StorageFailure(.unavailable, "somebody keeps it locked")
            case 2: return 1
            default: return 0
            }
        }

        func forgetPresentations(of customer: String, bundleId: String) -> Int { 0 }

        func answer(to question: LedgerQuestion) -> LedgerAnswer { LedgerAnswer() }
    }

    @Test("A deletion that fails, at its beginning or on its way, goes on soon after, not an hour later")
    func deletingAgain() async throws {
        let store = FlakyStore()
        let ledger = DurableLedger(store, now: { clock })
        let deadline = ContinuousClock.now + .seconds(60)
        while store.deletions.load(ordering: .relaxed) < 4, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        ledger.close()
        #expect(store.deletions.load(ordering: .relaxed) == 4)
    }

    @Test("However much there is to delete, signatures are recorded in between")
    func deleting() async throws {
        let store = EndlessStore()
        let ledger = DurableLedger(store, now: { clock })
        while store.deletions.load(ordering: .relaxed) == 0 { try await Task.sleep(for: .milliseconds(10)) }
        for _ in 0..<50 { #expect(try await ledger.append(.of(at: clock)) == [.recorded]) }
        let before = store.deletions.load(ordering: .relaxed)
        while store.deletions.load(ordering: .relaxed) == before { try await Task.sleep(for: .milliseconds(1)) }
        ledger.close()
    }

    @Test("While the clock is known to be wrong nothing is deleted")
    func wrongClock() async throws {
        let store = EndlessStore()
        let ledger = DurableLedger(store, isClockRight: { false }, now: { clock })
        while store.checkpoints.load(ordering: .relaxed) < 2 { try await Task.sleep(for: .milliseconds(10)) }
        // A deletion would come after the checkpoint: closing waits for it.
        ledger.close()
        #expect(store.deletions.load(ordering: .relaxed) == 0)
    }

    @Test("However much there is to record, checkpoints are signed in between")
    func recording() async throws {
        let store = EndlessStore()
        let ledger = DurableLedger(store, now: { clock })
        let isDone = Atomic(false)
        // Each answer brings the next request: something waits whenever a commit ends.
        @Sendable func goOn() {
            guard !isDone.load(ordering: .relaxed) else { return }
            ledger.append([.of(at: clock)]) { _ in goOn() }
        }
        for _ in 0..<8 { DispatchQueue.global().async { goOn() } }
        let deadline = ContinuousClock.now + .seconds(60)
        while store.checkpoints.load(ordering: .relaxed) < 3, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        let (checkpoints, commits) = (
            store.checkpoints.load(ordering: .relaxed), store.commits.load(ordering: .relaxed)
        )
        while store.commits.load(ordering: .relaxed) == commits { try await Task.sleep(for: .milliseconds(1)) }
        isDone.store(true, ordering: .relaxed)
        ledger.close()
        // The first checkpoint is signed at the start, before anything is recorded.
        #expect(checkpoints >= 3)
        #expect(commits > 0)
    }

    @Test("Each commit is reported, with the number of signatures that it recorded", arguments: LedgerHome.allCases)
    func observed(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let ledger = DurableLedger(try fixture.store(), now: { fixture.now })
        let records = Mutex<[Int]>([])
        ledger.observeCommits { duration, count in
            #expect(duration > .zero)
            records.withLock { $0.append(count) }
        }
        _ = try await ledger.append(.of(count: 3, limit: 2, at: fixture.now))
        _ = try await ledger.append(.of(account: "another", at: fixture.now))
        #expect(records.withLock { $0 } == [2, 1])
        ledger.close()
    }

    @Test(
        "An entry that the database refuses fails alone, and takes no number of the chain",
        arguments: LedgerHome.allCases
    )
    func refused(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        RefusedValue.refuse(in: fixture, "ledger_records")
        let ledger = DurableLedger(
            try fixture.store(),
            bounds: .init(deadline: .seconds(60)),
            now: { fixture.now }
        )
        let time = fixture.now
        let results = await withTaskGroup(of: (Int, [GrantOutcome]?).self) { tasks in
            for number in 0..<60 {
                tasks.addTask {
                    let id = number % 20 == 7 ? RefusedValue.transaction : "1000"
                    let entry = LedgerEntry.of(account: "\(number)", originalTransactionId: id, limit: 5, at: time)
                    return (number, try? await ledger.append(entry))
                }
            }
            return await tasks.reduce(into: [:]) { $0[$1.0] = .some($1.1) }
        }
        for (number, outcomes) in results { #expect(outcomes == (number % 20 == 7 ? nil : [.recorded])) }
        #expect(ledger.fault == nil)
        #expect(ledger.warning?.contains("not signed") == true)
        ledger.close()
        #expect(try fixture.records().map(\.number).sorted() == Array(1...57))
        let found = try fixture.verify()
        #expect(found.faults.isEmpty, "\(found.faults)")
    }

    @Test("A forgotten customer was presented for nothing; others still were", arguments: LedgerHome.allCases)
    func forgotten(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let ledger = DurableLedger(try fixture.store(), now: { fixture.now })
        for account in ["alice", "bob"] {
            for id in ["1", "2"] {
                let entry = LedgerEntry.of(
                    account: account,
                    originalTransactionId: id,
                    maximumAccounts: 3,
                    at: fixture.now
                )
                _ = try await ledger.append(entry)
            }
        }
        #expect(try await ledger.forget(customer: "alice", bundleId: "com.example.reader") == 2)
        #expect(try await ledger.forget(customer: "alice", bundleId: "com.example.reader") == 0)
        let left = try fixture.rows("SELECT original_transaction_id FROM ledger_presentations ORDER BY 1")
        #expect(left == ["1", "2"])
        #expect(try fixture.records().count == 4)
        #expect(try fixture.verify().faults.isEmpty)
        ledger.close()
    }

    @Test(
        "A caller that failed because another process kept the records locked has nothing recorded or counted",
        arguments: LedgerHome.allCases
    )
    func lockedTooLong(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let ledger = DurableLedger(
            try fixture.store(),
            bounds: .init(deadline: .milliseconds(300)),
            now: { fixture.now }
        )
        let entry = LedgerEntry.of(limit: 2, at: fixture.now)
        #expect(try await ledger.append(entry) == [.recorded])
        try await fixture.locking {
            await #expect(throws: StorageFailure(.tooSlow, "")) {
                do {
                    _ = try await ledger.append(entry)
                } catch let failure as StorageFailure {
                    throw StorageFailure(failure.code, "")
                }
            }
            #expect(ledger.fault != nil)
        }
        while ledger.fault != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await ledger.append(entry) == [.recorded])
        #expect(try await ledger.append(entry) == [.signatureLimit(count: 2)])
        ledger.close()
        #expect(try fixture.records().count == 2)
        #expect(try fixture.verify().faults.isEmpty)
    }
}
