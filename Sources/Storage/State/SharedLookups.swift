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

    private let database: any SQLDatabase
    private let state = Mutex(State())

    /// Uses a database.
    init(_ database: any SQLDatabase) { self.database = database }

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
            let questions = requests.map(\.question)
            do throws(StorageFailure) {
                let answers = try await database.answer { session throws(StorageFailure) in
                    try session.held(questions)
                }
                for (request, answer) in zip(requests, answers) {
                    request.continuation.resume(returning: .success(answer))
                }
            } catch {
                // One row that cannot be read is nobody else's fault.
                guard error.code == .malformed, requests.count > 1 else {
                    for request in requests { request.continuation.resume(returning: .failure(error)) }
                    continue
                }
                for request in requests { await askAlone(request) }
            }
        }
    }

    private func askAlone(_ request: Request) async {
        do throws(StorageFailure) {
            let answers = try await database.answer { session throws(StorageFailure) in
                try session.held([request.question])
            }
            request.continuation.resume(returning: .success(answers[0]))
        } catch {
            request.continuation.resume(returning: .failure(error))
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
