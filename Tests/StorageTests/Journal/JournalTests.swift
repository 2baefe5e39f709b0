import Dispatch
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("The ledger's thread", .timeLimit(.minutes(30)))
struct JournalTests {
    /// A ledger that keeps ten days, and has so many older records.
    private func aged(_ count: Int) throws -> LedgerFixture {
        let fixture = try LedgerFixture(.sqlite)
        _ = try fixture.store().commit([.of(count: count, at: fixture.now)])
        fixture.advance(days: 40)
        return fixture
    }

    private func open(_ fixture: LedgerFixture, deadline: Duration = .seconds(2)) throws -> Journal {
        Journal(try fixture.store(), bounds: .init(queue: .init(deadline: deadline)), now: { fixture.now })
    }

    @Test("A deletion that fails, at its beginning or on its way, goes on soon after, not an hour later")
    func deletingAgain() async throws {
        let fixture = try aged(600)
        let writes = Atomic(0)
        // Of answers, of presentations and of 500 records: the first step, and the third that comes to records.
        let database = TroubledDatabase(try fixture.database()) { call throws(StorageFailure) in
            guard call == .write(.beside) else { return }
            if [1, 7].contains(writes.add(1, ordering: .sequentiallyConsistent).newValue) {
                throw StorageFailure(.unavailable, "somebody keeps it locked")
            }
        }
        let ledger = Journal(try fixture.store(retentionDays: 10, in: database), now: { fixture.now })
        try await wait { try fixture.records().isEmpty }
        ledger.close()
        #expect(writes.load(ordering: .sequentiallyConsistent) > 7)
    }

    @Test("However much there is to delete, signatures are recorded in between")
    func deleting() async throws {
        let fixture = try aged(1200)
        let seen = Mutex<[String]>([])
        let mayGoOn = DispatchSemaphore(value: 0)
        let database = TroubledDatabase(try fixture.database()) { call throws(StorageFailure) in
            guard call == .write(.beside) else { return }
            let isFirst = seen.withLock { seen in
                seen.append("deletion")
                return seen.count == 1
            }
            if isFirst { mayGoOn.wait() }
        }
        let ledger = Journal(try fixture.store(retentionDays: 10, in: database), now: { fixture.now })
        try await wait { seen.withLock { !$0.isEmpty } }
        ledger.append([.of(at: fixture.now)]) { _, _ in seen.withLock { $0.append("record") } }
        mayGoOn.signal()
        try await wait { try fixture.records().count == 1 }
        ledger.close()
        let order = seen.withLock { $0 }
        let record = try #require(order.firstIndex(of: "record"))
        #expect(try record < #require(order.lastIndex(of: "deletion")))
        #expect(try fixture.records().count == 1)
    }

    @Test("While the clock is known to be wrong nothing is deleted")
    func wrongClock() async throws {
        let fixture = try aged(10)
        let checkpoints = Atomic(0)
        let database = TroubledDatabase(try fixture.database()) { call throws(StorageFailure) in
            if call == .read { checkpoints.add(1, ordering: .sequentiallyConsistent) }
        }
        let store = try fixture.store(retentionDays: 10, in: database)
        let ledger = Journal(store, isClockRight: { false }, now: { fixture.now })
        try await wait { checkpoints.load(ordering: .sequentiallyConsistent) > 2 }
        // A deletion would come after the checkpoint: closing waits for it.
        ledger.close()
        #expect(try fixture.records().count == 10)
    }

    @Test("However much there is to record, checkpoints are signed in between")
    func recording() async throws {
        let fixture = try LedgerFixture(.sqlite)
        let ledger = try open(fixture)
        let isDone = Atomic(false)
        // Each answer brings the next request: something waits whenever a commit ends.
        @Sendable func goOn() {
            guard !isDone.load(ordering: .relaxed) else { return }
            // Who is refused at once would be called from within the call.
            ledger.append([.of(at: fixture.now)]) { _, _ in DispatchQueue.global().async { goOn() } }
        }
        for _ in 0..<8 { DispatchQueue.global().async { goOn() } }
        let database = try fixture.database(readOnly: true)
        var signed: Set<Int64> = []
        try await wait {
            for head in try database.signatures().checkpoints.flatMap(\.open.values) where head.number > 0 {
                signed.insert(head.number)
            }
            return signed.count >= 3
        }
        isDone.store(true, ordering: .relaxed)
        ledger.close()
    }

    @Test("Each commit is reported, with the number of signatures that it recorded", arguments: LedgerHome.allCases)
    func observed(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let ledger = try open(fixture)
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

    @Test("The observer of commits is called for as long as the service runs, each time at the same cost")
    func observedLong() {
        let observer = CommitObserver()
        let observed = Mutex(0)
        observer.report([], [], .zero)
        observer.observe { _, _ in observed.withLock { $0 += 1 } }
        // Were the function wrapped at each call, these would not fit on the stack.
        for _ in 0..<300_000 { observer.report([], [], .zero) }
        #expect(observed.withLock { $0 } == 300_000)
    }

    @Test(
        "An entry that the database refuses fails alone, and takes no number of the chain",
        arguments: LedgerHome.allCases
    )
    func refused(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        fixture.refuse(in: "ledger_records")
        let ledger = try open(fixture, deadline: .seconds(60))
        let time = fixture.now
        let results = await withTaskGroup(of: (Int, [GrantOutcome]?).self) { tasks in
            for number in 0..<60 {
                tasks.addTask {
                    let id = number % 20 == 7 ? LedgerFixture.refusedTransaction : "1000"
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
        try fixture.verifySound()
    }

    @Test("A forgotten customer was presented for nothing; others still were", arguments: LedgerHome.allCases)
    func forgotten(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let ledger = try open(fixture)
        for account in ["alice", "bob"] {
            for id in ["1", "2"] {
                _ = try await ledger.append(
                    .of(account: account, originalTransactionId: id, maximumAccounts: 3, at: fixture.now)
                )
            }
        }
        #expect(try await ledger.erase(stored("alice")).rows == 2)
        #expect(try await ledger.erase(stored("alice")).rows == 0)
        let left = try fixture.rows("SELECT original_transaction_id FROM ledger_presentations ORDER BY 1")
        #expect(left == ["1", "2"])
        #expect(try fixture.records().count == 4)
        try fixture.verifySound()
        ledger.close()
    }

    @Test(
        "A caller that failed because another process kept the records locked has nothing recorded or counted",
        arguments: LedgerHome.allCases
    )
    func lockedTooLong(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let ledger = try open(fixture, deadline: .seconds(1))
        let entry = LedgerEntry.of(limit: 2, at: fixture.now)
        #expect(try await ledger.append(entry) == [.recorded])
        try await fixture.locking {
            // By its deadline, or as PostgreSQL waited long enough.
            await #expect(throws: StorageFailure.self) { try await ledger.append(entry) }
            #expect(ledger.fault != nil)
        }
        try await wait { ledger.fault == nil }
        #expect(try await ledger.append(entry) == [.recorded])
        #expect(try await ledger.append(entry) == [.signatureLimit(count: 2)])
        ledger.close()
        #expect(try fixture.records().count == 2)
        try fixture.verifySound()
    }
}
