import Offers
import Synchronization

/// Many who ask, one question to the database: what is asked while one is under way makes the next.
final class SharedLookups: Sendable {
    private struct Request {
        let question: StateQuestion
        let continuation: CheckedContinuation<Result<HeldState, StorageFailure>, Never>
    }

    private struct State {
        var waiting: [Request] = []
        var isAsking = false
    }

    /// How many are answered at once.
    private static let most = 256

    private let read: @Sendable ([StateQuestion]) async throws(StorageFailure) -> [HeldState]
    private let state = Mutex(State())

    /// Creates it; nothing is asked yet.
    ///
    /// - Parameter read: Answers questions, each with one answer in their order; it is called once at a time.
    init(_ read: @escaping @Sendable ([StateQuestion]) async throws(StorageFailure) -> [HeldState]) { self.read = read }

    /// How many wait for the next question.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Answers a question.
    ///
    /// - Parameter question: The question.
    /// - Returns: What is held.
    /// - Throws: ``StorageFailure`` when it could not be read.
    func answer(_ question: StateQuestion) async throws(StorageFailure) -> HeldState {
        let result = await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append(Request(question: question, continuation: continuation))
                defer { state.isAsking = true }
                return !state.isAsking
            }
            if isFirst { Task { await ask() } }
        }
        return try result.get()
    }

    private func ask() async {
        while let requests = next() {
            let answers = await result(of: requests)
            // One row that cannot be read is nobody else's fault.
            if case .failure(let failure) = answers, failure.code == .malformed, requests.count > 1 {
                for request in requests { Self.finish([request], await result(of: [request])) }
            } else {
                Self.finish(requests, answers)
            }
        }
    }

    private func result(of requests: [Request]) async -> Result<[HeldState], StorageFailure> {
        do throws(StorageFailure) {
            return .success(try await read(requests.map(\.question)))
        } catch {
            return .failure(error)
        }
    }

    private static func finish(_ requests: [Request], _ answers: Result<[HeldState], StorageFailure>) {
        for (index, request) in requests.enumerated() {
            request.continuation.resume(
                returning: answers.flatMap { answers in
                    guard answers.indices.contains(index) else {
                        return .failure(StorageFailure(.unavailable, "the store answered too few questions"))
                    }
                    return .success(answers[index])
                }
            )
        }
    }

    /// Who is answered next; `nil` when nobody waits.
    private func next() -> [Request]? {
        state.withLock { state in
            let requests = Array(state.waiting.prefix(Self.most))
            state.waiting.removeFirst(requests.count)
            state.isAsking = !requests.isEmpty
            return requests.isEmpty ? nil : requests
        }
    }
}
