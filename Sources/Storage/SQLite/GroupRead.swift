import Dispatch
import Offers
import Synchronization

/// Many who ask, one read: what was asked while the last read ran is answered by the next one.
///
/// A read of its own for each question costs several times what the question does: a transaction, and the wait for a
/// connection and a thread. The read blocks a thread of its own, never one that tasks run on.
final class GroupRead<Question: Sendable, Answer: Sendable>: Sendable {
    private struct Request {
        let question: Question
        let continuation: CheckedContinuation<Result<Answer, StorageFailure>, Never>
    }

    private struct State {
        var waiting: [Request] = []
        var isReading = false
    }

    /// How many questions are answered by one read, so that none keeps the log from being brought into the file for long.
    private static var most: Int { 256 }

    private let state = Mutex(State())
    private let reader = DispatchQueue(label: "ledger.reader", qos: .userInitiated)
    private let read: @Sendable ([Question]) throws(StorageFailure) -> [Answer]

    /// Creates the reader; nothing is read yet.
    ///
    /// - Parameter read: Answers questions, each with one answer in their order; it is called on one thread at a time.
    init(_ read: @escaping @Sendable ([Question]) throws(StorageFailure) -> [Answer]) {
        self.read = read
    }

    /// How many questions wait for the next read.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Answers a question.
    func answer(_ question: Question) async throws(StorageFailure) -> Answer {
        let result = await withCheckedContinuation { continuation in
            let startsReading = state.withLock { state in
                state.waiting.append(Request(question: question, continuation: continuation))
                defer { state.isReading = true }
                return !state.isReading
            }
            if startsReading { reader.async { self.readOn() } }
        }
        return try result.get()
    }

    private func readOn() {
        while let requests = next() {
            let answers: Result<[Answer], StorageFailure>
            do throws(StorageFailure) {
                answers = .success(try read(requests.map(\.question)))
            } catch {
                answers = .failure(error)
            }
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
    }

    /// What is answered next; `nil` when nobody waits, and then the reader has stopped.
    private func next() -> [Request]? {
        state.withLock { state in
            let requests = Array(state.waiting.prefix(Self.most))
            state.waiting.removeFirst(requests.count)
            state.isReading = !requests.isEmpty
            return requests.isEmpty ? nil : requests
        }
    }
}
