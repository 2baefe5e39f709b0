import LedgerFixtures
import Offers
import Synchronization
import Testing

@testable import AppStore

@Suite("Equal questions")
struct AnswersTests {
    private let history = Book(of: "b", asOf: nil, [], [])

    private func key(_ id: String, of bundleId: String = "b") -> QuestionKey {
        QuestionKey(.transactionId(id), of: bundleId)
    }

    @Test("A question is told apart by its text, its kind and its app")
    func keys() {
        #expect(key("1") == key("1"))
        #expect(key("1") != key("2"))
        #expect(key("1") != key("1", of: "c"))
        #expect(key("1") != QuestionKey(.receipt(base64: "1"), of: "b"))
        // The newest transactions do not answer who asks for all of them.
        #expect(key("1") != QuestionKey(.transactionId("1"), of: "b", needsWholeHistory: true))
        // Apple's answer is the same.
        #expect(key("1") == QuestionKey(.transactionId("1", isNew: true), of: "b"))
    }

    @Test("An answer counts for as long as it is said to, and not a moment longer")
    func lifetime() {
        let cache = AnswerCache()
        let now = ContinuousClock.now
        cache.store(.success(history), for: key("1"), lifetimeSeconds: 10, at: now)
        #expect(cache.answer(for: key("1"), at: now + .milliseconds(9999)) == .success(history))
        #expect(cache.answer(for: key("1"), at: now + .seconds(10)) == nil)
        #expect(cache.answer(for: key("2"), at: now) == nil)
        cache.store(.success(history), for: key("3"), lifetimeSeconds: 0, at: now)
        #expect(cache.answer(for: key("3"), at: now) == nil)
    }

    @Test("However many customers there are, the answers kept are bounded, and the newest is among them")
    func bound() {
        let cache = AnswerCache()
        let now = ContinuousClock.now
        let count = AnswerCache.capacity * 2 + 1
        for id in 0..<count { cache.store(.success(history), for: key("\(id)"), lifetimeSeconds: 10, at: now) }
        #expect(cache.answer(for: key("\(count - 1)"), at: now) == .success(history))
        let kept = (0..<count).count { cache.answer(for: key("\($0)"), at: now) != nil }
        #expect(kept <= AnswerCache.capacity)
    }

    @Test("A new transaction may come for five minutes after it was first asked for, each of an app by itself")
    func newTransactions() {
        let new = NewTransactions()
        let start = ContinuousClock.now
        func mayStillCome(_ id: String, of app: String = "b", after time: Duration, caching: Bool = true) -> Bool {
            new.mayStillCome(id, of: app, at: start + time, caching: caching)
        }
        #expect(mayStillCome("1", after: .seconds(-60), caching: false))
        #expect(mayStillCome("1", after: .zero))
        #expect(mayStillCome("1", after: .milliseconds(299_999)))
        #expect(!mayStillCome("1", after: .seconds(300)))
        #expect(!mayStillCome("1", after: .seconds(400), caching: false))
        #expect(mayStillCome("1", of: "c", after: .seconds(300)))
        // Apple has told of it: should it be unknown later, that is new.
        new.forget("1", of: "b")
        #expect(mayStillCome("1", after: .seconds(300)))
    }

    @Test("However many new transactions there are, those known are bounded, and the oldest makes room")
    func newTransactionsBound() {
        let new = NewTransactions()
        let start = ContinuousClock.now
        for id in 0...NewTransactions.capacity {
            #expect(new.mayStillCome("\(id)", of: "b", at: start + .nanoseconds(id), caching: true))
        }
        let later = start + .seconds(301)
        #expect(!new.mayStillCome("1", of: "b", at: later, caching: false))
        #expect(!new.mayStillCome("\(NewTransactions.capacity)", of: "b", at: later, caching: false))
        #expect(new.mayStillCome("0", of: "b", at: later, caching: false))
    }

    @Test("Questions that are equal and asked at once are one call, whose answer or fault all get")
    func singleFlight() async {
        let flights = SingleFlight()
        let calls = Calls()
        let (history, keys) = (history, ["fine", "bad"].map { key($0) })
        let fault = EvidenceFault.appStoreUnavailable("busy")
        let results = await withTaskGroup(of: Result<Book, EvidenceFault>.self) { group in
            for index in 0..<20 {
                group.addTask {
                    do throws(EvidenceFault) {
                        return .success(
                            try await flights.history(for: keys[index % 2]) { () throws(EvidenceFault) in
                                calls.add()
                                // Long enough for all to have asked.
                                try? await Task.sleep(for: .milliseconds(500))
                                if index % 2 == 1 { throw fault }
                                return history
                            }
                        )
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(calls.count == 2)
        #expect(results.count { $0 == .success(history) } == 10)
        #expect(results.count { $0 == .failure(fault) } == 10)
        // Nothing is left behind: who asks later asks anew.
        _ = try? await flights.history(for: keys[0]) { () throws(EvidenceFault) in
            calls.add()
            return history
        }
        #expect(calls.count == 3)
    }
}

/// Counts calls.
private final class Calls: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}
