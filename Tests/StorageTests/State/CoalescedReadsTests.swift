import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Concurrent questions share one read", .timeLimit(.minutes(10)))
struct SharedReadsTests {
    /// Doubles numbers, and notes how many it was asked at a time; the first read lasts until it is let go.
    private final class Doubling: Sendable {
        let sizes = Mutex<[Int]>([])
        private let (gate, opener) = AsyncStream.makeStream(of: Void.self)

        func open() { opener.yield() }

        func read(_ numbers: [Int]) async -> [Int] {
            let isFirst = sizes.withLock { sizes in
                sizes.append(numbers.count)
                return sizes.count == 1
            }
            if isFirst { for await _ in gate { break } }
            return numbers.map { $0 * 2 }
        }
    }

    private static func values(_ answers: [Result<Int, StorageFailure>]) throws(StorageFailure) -> [Int] {
        var values: [Int] = []
        for answer in answers { values.append(try answer.get()) }
        return values
    }

    @Test("Questions during a read are answered by the next one, each with its own answer")
    func together() async throws {
        let doubling = Doubling()
        let reads = CoalescedReads { (numbers) throws(StorageFailure) in await doubling.read(numbers) }
        let right = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            tasks.addTask { try Self.values(await reads.answers(to: [-1])) == [-2] }
            while doubling.sizes.withLock(\.isEmpty) { try? await Task.sleep(for: .milliseconds(1)) }
            for number in 0..<300 {
                tasks.addTask { try Self.values(await reads.answers(to: [number])) == [number * 2] }
            }
            while reads.waiting < 300 { try? await Task.sleep(for: .milliseconds(1)) }
            doubling.open()
            return try await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(right == 301)
        #expect(doubling.sizes.withLock { $0 } == [1, 256, 44])
    }

    @Test("Questions at the same time are one read, of any size, and have their answers in order")
    func atOnce() async throws {
        let doubling = Doubling()
        doubling.open()
        let reads = CoalescedReads { (numbers) throws(StorageFailure) in await doubling.read(numbers) }
        #expect(try Self.values(await reads.answers(to: Array(0..<300))) == (0..<300).map { $0 * 2 })
        #expect(doubling.sizes.withLock { $0 } == [300])
    }

    @Test("A read that fails is an error for its waiting callers, and for no later one")
    func failure() async throws {
        let isDown = Mutex(true)
        let reads = CoalescedReads<Int, Int> { (numbers) throws(StorageFailure) in
            if isDown.withLock({ $0 }) { throw StorageFailure(.unavailable, "down") }
            return numbers
        }
        #expect(await reads.answers(to: [1, 2]).allSatisfy { if case .failure = $0 { true } else { false } })
        isDown.withLock { $0 = false }
        #expect(try Self.values(await reads.answers(to: [2])) == [2])
    }

    @Test("A row that cannot be read is an error for its own caller alone")
    func malformed() async throws {
        let reads = CoalescedReads<Int, Int> { (numbers) throws(StorageFailure) in
            if numbers.contains(13) { throw .malformed("body") }
            return numbers
        }
        let answers = await reads.answers(to: [1, 13, 2, 3])
        #expect(answers.map { try? $0.get() } == [1, nil, 2, 3])
    }
}
