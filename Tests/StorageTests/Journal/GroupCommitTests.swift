import Dispatch
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Group commit", .timeLimit(.minutes(30)))
struct GroupCommitTests {
    /// A store that can be held up, before it asks whether a commit is wanted or after it, and that can fail.
    private final class Store: Sendable {
        enum Hold { case nowhere, before, after }
        struct State {
            var commits: [[Int]] = []
            var failure: StorageFailure?
        }
        let state = Mutex(State())
        let gate = DispatchSemaphore(value: 0)
        private let isReached = Atomic(false)
        private let hold: Hold

        init(held hold: Hold = .nowhere) { self.hold = hold }

        var commits: [[Int]] { state.withLock { $0.commits } }

        func fail(_ failure: StorageFailure?) { state.withLock { $0.failure = failure } }

        private func wait(_ place: Hold) {
            guard hold == place else { return }
            isReached.store(true, ordering: .sequentiallyConsistent)
            gate.wait()
        }

        /// Waits until items are in the writer's hand.
        func reach() async {
            while !isReached.load(ordering: .sequentiallyConsistent) { try? await Task.sleep(for: .milliseconds(1)) }
        }

        func open(_ count: Int = 1) { for _ in 0..<count { gate.signal() } }

        func commit(_ items: [Int], while isWanted: () -> Bool) throws(StorageFailure) -> [Int] {
            wait(.before)
            guard isWanted() else { throw .abandoned }
            wait(.after)
            if let failure = state.withLock({ $0.failure }) { throw failure }
            if items.contains(where: { $0 < 0 }) { throw StorageFailure(.refused, "a number is below zero") }
            state.withLock { $0.commits.append(items) }
            return items.map { $0 * 10 }
        }

        func probe() throws(StorageFailure) {
            if let failure = state.withLock({ $0.failure }) { throw failure }
        }

        func group(_ bounds: GroupCommit<Int, Int>.Bounds = .init()) -> GroupCommit<Int, Int> {
            GroupCommit(
                bounds: bounds,
                on: DispatchQueue(label: "test"),
                probe: { () throws(StorageFailure) in try self.probe() },
                commit: { (items, isWanted) throws(StorageFailure) in try self.commit(items, while: isWanted) }
            )
        }
    }

    private func append(_ items: [Int], to group: GroupCommit<Int, Int>) async -> Result<[Int], StorageFailure> {
        await withCheckedContinuation { continuation in group.append(items) { continuation.resume(returning: $1) } }
    }

    @Test("Entries queued during a commit are the next one, and each caller gets its own outcomes")
    func grouping() async throws {
        let store = Store(held: .before)
        let group = store.group(.init(deadline: .seconds(50)))
        let results = await withTaskGroup(of: (Int, Result<[Int], StorageFailure>).self) { tasks in
            tasks.addTask { (0, await append([0], to: group)) }
            // The first is in the writer's hand when its gate has been reached.
            await store.reach()
            for index in 1...50 { tasks.addTask { (index, await append([index, index + 100], to: group)) } }
            while group.waiting < 100 { try? await Task.sleep(for: .milliseconds(1)) }
            store.open(100)
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        for (index, result) in results {
            #expect(try result.get() == (index == 0 ? [0] : [index * 10, index * 10 + 1000]))
        }
        #expect(store.commits.map(\.count) == [1, 100])
    }

    @Test("A caller with a moment of its own goes before those that wait already, however many they are")
    func urgent() async throws {
        let store = Store(held: .before)
        let group = store.group(.init(commit: 2, deadline: .seconds(50)))
        group.append([0]) { _, _ in }
        await store.reach()
        for number in 1...4 { group.append([number]) { _, _ in } }
        group.append([9], until: .now + .seconds(50)) { _, _ in }
        store.open(4)
        group.close()
        #expect(store.commits == [[0], [9, 1], [2, 3], [4]])
    }

    @Test("A full queue refuses at once")
    func full() async {
        let store = Store(held: .before)
        let group = store.group(.init(waiting: 3, deadline: .seconds(50)))
        // The first is in the writer's hand, three wait.
        group.append([1]) { _, _ in }
        await store.reach()
        group.append([2, 3, 4]) { _, _ in }
        let refusal = Mutex<StorageFailure.Code?>(nil)
        group.append([5]) { _, result in
            if case .failure(let failure) = result { refusal.withLock { $0 = failure.code } }
        }
        #expect(refusal.withLock { $0 } == .full)
        store.open(5)
        group.close()
        #expect(store.commits.flatMap(\.self) == [1, 2, 3, 4])
    }

    @Test("A caller that waits too long fails, and nothing is recorded of it, in the writer's hand or not")
    func deadline() async throws {
        let store = Store(held: .before)
        let group = store.group(.init(deadline: .milliseconds(50)))
        async let first = append([1], to: group)
        await store.reach()
        async let second = append([2], to: group)
        for result in await [first, second] {
            #expect(throws: StorageFailure.self) { try result.get() }
            if case .failure(let failure) = result { #expect(failure.code == .tooSlow) }
        }
        // While the writer is stuck, others get the fault at once.
        #expect(group.failure?.code == .tooSlow)
        group.append([3]) { #expect($1 == .failure(StorageFailure(.tooSlow, ""))) }
        store.open()
        while group.failure != nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(store.commits.isEmpty)
        store.open()
        #expect(try await append([4], to: group).get() == [40])
        #expect(store.commits == [[4]])
    }

    @Test("A patient caller waits longer than others while the writer is held up")
    func patient() async throws {
        let store = Store(held: .before)
        let group = store.group(.init(deadline: .milliseconds(50), patience: .seconds(50)))
        let patient = Mutex<Result<[Int], StorageFailure>?>(nil)
        group.append([1], isPatient: true) { _, result in patient.withLock { $0 = result } }
        await store.reach()
        let late = await append([2], to: group)
        #expect(throws: StorageFailure(.tooSlow, "")) { try late.get() }
        #expect(patient.withLock { $0 } == nil)
        store.open(2)
        while patient.withLock({ $0 }) == nil { try? await Task.sleep(for: .milliseconds(1)) }
        #expect(patient.withLock { $0 } == .success([10]))
    }

    @Test("A caller with a moment of its own fails then without a record; once its commit has begun, it waits for it")
    func moment() async throws {
        let store = Store(held: .before)
        let group = store.group(.init(deadline: .seconds(50)))
        async let first = append([1], to: group)
        await store.reach()
        let late = await withCheckedContinuation { continuation in
            group.append([2], until: .now + .milliseconds(20)) { continuation.resume(returning: $1) }
        }
        #expect(late == .failure(StorageFailure(.tooSlow, "")))
        store.open()
        #expect(try await first.get() == [10])
        // Nobody waits for the second any more: it is left out before the store is asked.
        #expect(store.commits == [[1]])

        let committing = Store(held: .after)
        let other = committing.group(.init(deadline: .seconds(50)))
        let result = Mutex<Result<[Int], StorageFailure>?>(nil)
        other.append([3], until: .now + .milliseconds(50)) { _, outcome in result.withLock { $0 = outcome } }
        await committing.reach()
        try await Task.sleep(for: .milliseconds(200))
        #expect(result.withLock { $0 } == nil)
        committing.open()
        while result.withLock({ $0 }) == nil { try? await Task.sleep(for: .milliseconds(1)) }
        #expect(result.withLock { $0 } == .success([30]))
    }

    @Test("An item that would have to wait for another transaction is set aside alone, and written once it need not")
    func aside() async throws {
        let isLocked = Atomic(true)
        let group = GroupCommit<Int, Int>(
            bounds: .init(deadline: .seconds(50)),
            on: DispatchQueue(label: "test"),
            probe: {},
            commit: { items, _ in
                items.map { $0 == 2 && isLocked.load(ordering: .sequentiallyConsistent) ? nil : $0 * 10 }
            }
        )
        let outcomes = Mutex<[Int: Int]>([:])
        group.append([1, 2, 3]) { places, result in
            for (place, outcome) in zip(places, (try? result.get()) ?? []) { outcomes.withLock { $0[place] = outcome } }
        }
        try await wait { outcomes.withLock { $0 == [0: 10, 2: 30] } }
        #expect(try await append([4], to: group).get() == [40])
        #expect(group.failure == nil)
        isLocked.store(false, ordering: .sequentiallyConsistent)
        try await wait { outcomes.withLock { $0 == [0: 10, 1: 20, 2: 30] } }

        isLocked.store(true, ordering: .sequentiallyConsistent)
        async let late = append([2], to: group)
        try await Task.sleep(for: .milliseconds(20))
        group.close()
        let failure = await late
        #expect(throws: StorageFailure(.tooSlow, "")) { try failure.get() }
    }

    @Test("After a failure nothing is taken until the store takes something again, by itself")
    func recovery() async throws {
        let store = Store()
        let group = store.group(.init(rest: .milliseconds(20)))
        store.fail(StorageFailure(.unavailable, "the disk is full"))
        for _ in 0..<3 {
            let result = await append([1], to: group)
            #expect(throws: StorageFailure(.unavailable, "the disk is full")) { try result.get() }
            #expect(group.failure?.detail == "the disk is full")
        }
        store.fail(nil)
        while group.failure != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await append([2], to: group).get() == [20])
        #expect(store.commits == [[2]])
    }

    @Test("A caller with items that the store refuses fails alone; the others are written in their order")
    func refused() async throws {
        let store = Store(held: .before)
        let group = store.group(.init(deadline: .seconds(50)))
        let results = Mutex<[Int: Result<[Int], StorageFailure>]>([:])
        func append(_ items: Int...) { group.append(items) { _, result in results.withLock { $0[items[0]] = result } } }
        // The first is in the writer's hand; what follows is one batch.
        append(0)
        await store.reach()
        for number in 1...4 { append(number, number + 100) }
        append(5, -5)
        append(-6)
        append(7)
        store.open(100)
        group.close()
        #expect(store.commits.flatMap(\.self) == [0, 1, 101, 2, 102, 3, 103, 4, 104, 7])
        for (number, result) in results.withLock({ $0 }) {
            guard number != 5, number != -6 else {
                #expect(throws: StorageFailure(.refused, "a number is below zero")) { try result.get() }
                continue
            }
            #expect(try result.get().first == number * 10)
        }
        #expect(results.withLock { $0.count } == 8)
        #expect(group.failure == nil)
    }

    @Test("When the store fails while a refused batch is taken apart, each unwritten entry fails once")
    func failureAfterRefusal() async {
        let store = Store(held: .before)
        let group = store.group(.init(deadline: .seconds(50)))
        let written = Mutex<[Int]>([])
        let failed = Mutex<[Int]>([])
        func append(_ item: Int) {
            group.append([item]) { _, result in
                if case .success = result {
                    written.withLock { $0.append(item) }
                } else {
                    failed.withLock { $0.append(item) }
                }
            }
        }
        append(0)
        await store.reach()
        for number in [1, 2, 3, -4] { append(number) }
        // The first, the batch, and its first half.
        store.open(3)
        while written.withLock({ $0 }) != [0, 1, 2] { try? await Task.sleep(for: .milliseconds(1)) }
        store.fail(StorageFailure(.unavailable, "the disk is full"))
        store.open(100)
        group.close()
        #expect(written.withLock { $0 } == [0, 1, 2])
        #expect(failed.withLock { $0 } == [3, -4])
        #expect(group.failure == StorageFailure(.unavailable, "the disk is full"))
    }

    @Test("After closing, waiting entries are written, and no more are taken")
    func closed() async {
        let store = Store()
        let group = store.group()
        let count = Mutex(0)
        for index in 0..<100 { group.append([index]) { _, _ in count.withLock { $0 += 1 } } }
        group.close()
        #expect(count.withLock { $0 } == 100)
        let result = await append([1], to: group)
        #expect(throws: StorageFailure.self) { try result.get() }
    }
}
