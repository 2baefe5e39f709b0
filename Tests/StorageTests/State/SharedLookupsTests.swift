import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Look-ups that are made together")
struct SharedLookupsTests {
    @Test("What is asked while one question is under way makes the next one, and each gets its own answer")
    func together() async throws {
        let asked = Mutex<[Int]>([])
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let lookups = SharedLookups { (questions) throws(StorageFailure) in
            let isFirst = asked.withLock { asked in
                asked.append(questions.count)
                return asked.count == 1
            }
            if isFirst { for await _ in gate { break } }
            return questions.map { question in
                HeldState(subscriptions: question.subscriptions.map { HeldSubscription($0) })
            }
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    let state = try await lookups.answer(question(nil, "\(number)"))
                    #expect(state.subscriptions.map(\.identity) == [identity("\(number)")])
                }
                // The first is under way before the others ask.
                while number == 0, asked.withLock({ $0.isEmpty }) { await Task.yield() }
            }
            while lookups.waiting < 99 { await Task.yield() }
            open.yield()
            try await group.waitForAll()
        }
        #expect(asked.withLock { $0 } == [1, 99])
    }

    @Test("A row that cannot be read fails who asked for it, and nobody else")
    func malformed() async throws {
        let lookups = SharedLookups { (questions) throws(StorageFailure) in
            if questions.contains(where: { $0.subscriptions == [identity("bad")] }) { throw .malformed("body") }
            return questions.map { _ in HeldState() }
        }
        let failures = await withTaskGroup(of: String?.self) { group in
            for id in ["1", "bad", "2", "3"] {
                group.addTask { (try? await lookups.answer(question(nil, id))) == nil ? id : nil }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(failures.compactMap(\.self) == ["bad"])
    }
}
