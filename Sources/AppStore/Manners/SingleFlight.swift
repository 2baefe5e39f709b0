import Offers
import Synchronization

/// Has equal questions that are asked at the same time answered by one call.
final class SingleFlight: Sendable {
    private typealias Flight = Task<Result<SubscriptionHistory, EvidenceFault>, Never>

    private let flights = Mutex<[QuestionKey: Flight]>([:])
    private let metrics: AppStoreMetrics

    /// Begins with no call under way.
    ///
    /// - Parameter metrics: Where questions are counted.
    init(metrics: AppStoreMetrics = AppStoreMetrics()) {
        self.metrics = metrics
    }

    /// How many calls are under way.
    var count: Int { flights.withLock { $0.count } }

    /// The answer to a question: of the call that is under way, or of a new one.
    ///
    /// The call goes on when whoever began it has gone, as others may wait for it; it ends by its own deadline.
    ///
    /// - Parameters:
    ///   - key: What is asked.
    ///   - ask: Asks.
    /// - Returns: The answer.
    /// - Throws: `EvidenceFault` as `ask` does.
    func history(
        for key: QuestionKey,
        _ ask: @escaping @Sendable () async throws(EvidenceFault) -> SubscriptionHistory
    ) async throws(EvidenceFault) -> SubscriptionHistory {
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
