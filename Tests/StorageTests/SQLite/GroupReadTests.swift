import Dispatch
import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Many who ask, one read")
struct GroupReadTests {
    /// Doubles numbers, and notes how many it was asked at a time; the first read lasts until it is let go.
    private final class Doubling: Sendable {
        let sizes = Mutex<[Int]>([])
        let gate = DispatchSemaphore(value: 0)

        func read(_ numbers: [Int]) -> [Int] {
            let isFirst = sizes.withLock { sizes in
                sizes.append(numbers.count)
                return sizes.count == 1
            }
            if isFirst { gate.wait() }
            return numbers.map { $0 * 2 }
        }
    }

    @Test("What is asked during a read is answered by the next one, each question with its own answer")
    func together() async throws {
        let doubling = Doubling()
        let group = GroupRead { doubling.read($0) }
        let right = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            tasks.addTask { try await group.answer(-1) == -2 }
            while doubling.sizes.withLock(\.isEmpty) { await Task.yield() }
            for number in 0..<300 { tasks.addTask { try await group.answer(number) == number * 2 } }
            while group.waiting < 300 { await Task.yield() }
            doubling.gate.signal()
            return try await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(right == 301)
        #expect(doubling.sizes.withLock { $0 } == [1, 256, 44])
    }

    @Test("A read that fails fails those who waited for it, and nobody after it")
    func failure() async throws {
        let isDown = Mutex(true)
        let group = GroupRead<Int, Int> { (numbers) throws(StorageFailure) in
            if isDown.withLock({ $0 }) { throw StorageFailure(.unavailable, "down") }
            return numbers
        }
        await #expect(throws: StorageFailure.self) { try await group.answer(1) }
        isDown.withLock { $0 = false }
        #expect(try await group.answer(2) == 2)
    }

    @Test("Who has no answer is told so")
    func tooFew() async {
        let group = GroupRead<Int, Int> { _ in [] }
        await #expect(throws: StorageFailure.self) { try await group.answer(1) }
    }
}
