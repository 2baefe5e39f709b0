import Dispatch
import LedgerFixtures
import Offers
import Testing

@testable import Storage

@Suite("States that wait to be written")
struct UnwrittenStatesTests {
    private func waiting(_ held: Chapter...) -> StateWork {
        StateWork(notification: nil, observation: Book(chapters: held))
    }

    /// Writes what waits.
    private func write(_ states: inout UnwrittenStates) {
        _ = states.dequeueBatch()
        states.wrote(leavingOut: [])
    }

    @Test(
        "A reader from before the write finds it: while it waits, in hand, written, and four writes later; then it reads again",
        arguments: 0...6
    )
    func found(steps: Int) {
        var states = UnwrittenStates(most: 100, batchSize: 10)
        states.add(waiting(subscription("1")))
        let glance = states.glance(at: question(1))
        #expect(glance.others == [identity("1")])
        if steps == 1 { _ = states.dequeueBatch() }
        if steps > 1 { write(&states) }
        for number in 2..<max(steps, 2) {
            states.add(waiting(subscription("\(number)", of: digest(9))))
            write(&states)
        }
        var read = Book()
        let isFound = states.overlay(&read, for: question(1), since: glance) == nil
        #expect(isFound == (steps < 6))
        if isFound { #expect(read.chapters == [subscription("1")]) }
    }

    @Test("A subscription that the account got meanwhile has to be read, for what is held of it besides")
    func tiedMeanwhile() {
        var states = UnwrittenStates(most: 100, batchSize: 10)
        let glance = states.glance(at: question(1))
        states.add(waiting(subscription("1")))
        var read = Book()
        #expect(states.overlay(&read, for: question(1), since: glance) != nil)
        #expect(states.overlay(&read, for: question(2), since: glance) == nil)
        #expect(states.overlay(&read, for: question(1), since: states.glance(at: question(1))) == nil)
    }

    @Test("Unwritten states wait up to a bound, in batches; those that could not be written come first again")
    func bounded() {
        var states = UnwrittenStates(most: 25, batchSize: 10)
        for number in 0..<30 { states.add(waiting(subscription("\(number)"))) }
        #expect(states.dropped == 5)
        let batch = states.dequeueBatch()
        #expect(batch.count == 10)
        states.requeueBatch()
        let ids = states.dequeueBatch().flatMap { $0.observation.chapters.map(\.identity.originalTransactionId) }
        #expect(ids == (0..<10).map { "\($0)" })
    }

    @Test("It is found between its commit and the moment at which it waits no longer", arguments: LedgerHome.allCases)
    func betweenCommitAndRemoval(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let (hasWritten, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // The answer of a commit that is on durable storage is held back until it is let go.
        let database = TroubledDatabase(
            try fixture.database(),
            after: { call throws(StorageFailure) in
                guard call.isWrite else { return }
                hasWritten.signal()
                mayGoOn.wait()
                mayGoOn.signal()
            }
        )
        let states = try fixture.journal(.init(linger: .milliseconds(0)), in: database, at: clock)
        states.learn(seen(subscription("1")))
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                hasWritten.wait()
                continuation.resume()
            }
        }
        for _ in 0..<3 {
            #expect(try await states.held(question(1)).chapters == [subscription("1")])
            if home == .sqlite { #expect(states.atHand(question(1))?.chapters == [subscription("1")]) }
        }
        mayGoOn.signal()
        states.close()
        #expect(try await states.held(question(1)).chapters == [subscription("1")])
    }
}
