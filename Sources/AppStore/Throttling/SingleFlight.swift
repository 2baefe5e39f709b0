import Offers
import Synchronization

/// Has equal questions that a client asks at the same time answered by one call.
///
/// Each client has its own: where it asks too much, nobody else is refused for it.
final class SingleFlight: Sendable {
    private typealias Flight = Task<Result<Book, EvidenceFault>, Never>

    private struct Key: Hashable {
        let question: QuestionKey
        let client: String?
    }

    private let flights = Mutex<[Key: Flight]>([:])
    private let metrics: AppStoreMetrics

    init(metrics: AppStoreMetrics = AppStoreMetrics()) {
        self.metrics = metrics
    }

    var count: Int { flights.withLock { $0.count } }

    /// The answer to a question: of the call that is under way, or of a new one.
    ///
    /// The call goes on when its first caller has gone, as others may wait for it; it ends by its own deadline.
    func history(
        for question: QuestionKey,
        by client: String? = nil,
        _ ask: @escaping @Sendable () async throws(EvidenceFault) -> Book
    ) async throws(EvidenceFault) -> Book {
        let key = Key(question: question, client: client)
        let flight = flights.withLock { flights in
            if let known = flights[key] {
                metrics.countQuestion(answeredBy: .sharedCall)
                return known
            }
            metrics.countQuestion(answeredBy: .call)
            let flight = Flight {
                defer { self.flights.withLock { $0[key] = nil } }
                do throws(EvidenceFault) {
                    return .success(try await ask())
                } catch {
                    return .failure(error)
                }
            }
            flights[key] = flight
            return flight
        }
        return try await flight.value.get()
    }
}
