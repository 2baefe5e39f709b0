import Dispatch
import Offers
import Testing

@testable import Storage

@Suite("States that wait to be written")
struct UnwrittenStatesTests {
    private func waiting(_ held: HeldSubscription...) -> UnwrittenStates.Waiting {
        UnwrittenStates.Waiting(
            work: StateWork(notification: nil, observation: StateObservation(subscriptions: held)),
            completion: nil
        )
    }

    /// Writes what waits.
    private func write(_ states: inout UnwrittenStates) {
        _ = states.take()
        states.wrote()
    }

    @Test(
        "A reader from before the write finds it: while it waits, in hand, written, and four writes later"
    )
    func found() {
        for steps in 0...5 {
            var states = UnwrittenStates(most: 100, batchSize: 10)
            _ = states.add(evidence: waiting(subscription("1")))
            let glance = states.glance(at: question(1))
            #expect(glance.others == [identity("1")])
            if steps == 1 { _ = states.take() }
            if steps > 1 { write(&states) }
            for number in 2..<max(steps, 2) {
                _ = states.add(evidence: waiting(subscription("\(number)", of: digest(9))))
                write(&states)
            }
            var read = HeldState()
            #expect(states.lay(over: &read, for: question(1), since: glance) == nil)
            #expect(read.subscriptions == [subscription("1")])
        }
    }

    @Test("A reader that took longer than four writes has to read again")
    func late() {
        var states = UnwrittenStates(most: 100, batchSize: 10)
        _ = states.add(evidence: waiting(subscription("1")))
        let glance = states.glance(at: question(1))
        for number in 1...5 {
            _ = states.add(evidence: waiting(subscription("\(number)", of: digest(9))))
            write(&states)
        }
        var read = HeldState()
        #expect(states.lay(over: &read, for: question(1), since: glance) != nil)
    }

    @Test("A subscription that the account got meanwhile has to be read, for what is held of it besides")
    func tiedMeanwhile() {
        var states = UnwrittenStates(most: 100, batchSize: 10)
        let glance = states.glance(at: question(1))
        _ = states.add(evidence: waiting(subscription("1")))
        var read = HeldState()
        #expect(states.lay(over: &read, for: question(1), since: glance) != nil)
        #expect(states.lay(over: &read, for: question(2), since: glance) == nil)
        #expect(states.lay(over: &read, for: question(1), since: states.glance(at: question(1))) == nil)
    }

    @Test("Unwritten states wait up to a bound, in batches; those that could not be written come first again")
    func bounded() {
        var states = UnwrittenStates(most: 25, batchSize: 10)
        let isFirst = (0..<30).map { states.add(evidence: waiting(subscription("\($0)"))) }
        #expect(isFirst.filter(\.self).count == 1)
        #expect(states.dropped == 5)
        let batch = states.take()
        #expect(batch.count == 10)
        #expect(states.failed(batch, StorageFailure(.unavailable, "the disk is full")).isEmpty)
        let ids = states.take().flatMap { $0.work.observation.subscriptions.map(\.identity.originalTransactionId) }
        #expect(ids == (0..<10).map { "\($0)" })
    }

    /// A store that holds back the answer of a commit on durable storage, until it is let go.
    private final class PatientStore: StateStore {
        let store: DatabaseStateStore
        let hasWritten = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)

        init(_ store: DatabaseStateStore) { self.store = store }

        func heldAtOnce(_ questions: [StateQuestion]) throws(StorageFailure) -> [HeldState]? {
            try store.heldAtOnce(questions)
        }
        func held(_ questions: [StateQuestion]) async -> [Result<HeldState, StorageFailure>] {
            await store.held(questions)
        }
        func commit(_ works: [StateWork]) throws(StorageFailure) -> [Bool] {
            defer {
                hasWritten.signal()
                mayGoOn.wait()
            }
            return try store.commit(works)
        }
        func forget(_ account: AccountDigest) throws(StorageFailure) -> Int { try store.forget(account) }
        func generation() throws(StorageFailure) -> Int64 { try store.generation() }
        func deleteNotifications(before limit: Timestamp) throws(StorageFailure) {
            try store.deleteNotifications(before: limit)
        }
        func count() throws(StorageFailure) -> Int { try store.count() }
    }

    @Test("It is found between its commit and the moment at which it waits no longer", arguments: LedgerHome.allCases)
    func betweenCommitAndRemoval(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = PatientStore(DatabaseStateStore(try fixture.database(), digestKey: testDigestKey))
        var bounds = DurableSubscriptionStates.Bounds()
        bounds.linger = .milliseconds(0)
        let states = DurableSubscriptionStates(store, bounds: bounds, now: { clock })
        states.learn(StateObservation(subscriptions: [subscription("1")]))
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                store.hasWritten.wait()
                continuation.resume()
            }
        }
        for _ in 0..<3 {
            #expect(try await states.held(question(1)).subscriptions == [subscription("1")])
            if home == .sqlite { #expect(states.atHand(question(1))?.subscriptions == [subscription("1")]) }
        }
        store.mayGoOn.signal()
        states.close()
        #expect(try await states.held(question(1)).subscriptions == [subscription("1")])
    }
}
