import Offers
import Synchronization

/// Many who ask, one read: what is asked while a read is under way is answered by the next one.
///
/// A read for each question alone costs several times what the question does: a transaction or a round trip, and the wait
/// for a connection and a thread.
final class CoalescedReads<Question: Sendable, Answer: Sendable>: Sendable {
    private typealias Answers = [Result<Answer, StorageFailure>]

    private struct Request {
        let questions: [Question]
        let continuation: CheckedContinuation<Answers, Never>
    }

    private struct State {
        var waiting: [Request] = []
        var isReading = false
    }

    /// How many questions are answered by one read, but for one request that has more: no read takes long.
    private static var most: Int { 256 }

    private let state = Mutex(State())
    private let read: @Sendable ([Question]) async throws(StorageFailure) -> [Answer]

    /// Takes what answers questions, each with one answer in their order; it is called once at a time.
    init(_ read: @escaping @Sendable ([Question]) async throws(StorageFailure) -> [Answer]) { self.read = read }

    /// How many questions wait for the next read.
    var waiting: Int { state.withLock { $0.waiting.reduce(0) { $0 + $1.questions.count } } }

    /// Answers questions, in their order, all of them by the same read.
    func answers(to questions: [Question]) async -> [Result<Answer, StorageFailure>] {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append(Request(questions: questions, continuation: continuation))
                defer { state.isReading = true }
                return !state.isReading
            }
            if isFirst { Task { await readOn() } }
        }
    }

    private func readOn() async {
        while let requests = next() {
            let questions = requests.flatMap(\.questions)
            var answers = await result(of: questions)
            // One row that cannot be read is nobody else's fault.
            if case .failure(let failure) = answers.first, failure.code == .malformed, questions.count > 1 {
                answers = []
                for question in questions { answers += await result(of: [question]) }
            }
            var rest = answers[...]
            for request in requests {
                request.continuation.resume(returning: Array(rest.prefix(request.questions.count)))
                rest = rest.dropFirst(request.questions.count)
            }
        }
    }

    private func result(of questions: [Question]) async -> Answers {
        do throws(StorageFailure) {
            let answers = try await read(questions)
            guard answers.count == questions.count else {
                throw StorageFailure(.unavailable, "\(questions.count) questions got \(answers.count) answers")
            }
            return answers.map { .success($0) }
        } catch {
            return questions.map { _ in .failure(error) }
        }
    }

    /// The requests that are answered next; `nil` when nobody waits.
    private func next() -> [Request]? {
        state.withLock { state in
            var count = 0
            let requests = Array(
                state.waiting.prefix { request in
                    defer { count += request.questions.count }
                    return count == 0 || count + request.questions.count <= Self.most
                }
            )
            state.waiting.removeFirst(requests.count)
            state.isReading = !requests.isEmpty
            return requests.isEmpty ? nil : requests
        }
    }
}
