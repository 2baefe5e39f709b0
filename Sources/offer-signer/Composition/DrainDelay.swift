import OfferAPI
import ServiceLifecycle

/// The first step of a shutdown: says on `/readyz` that the service is going, and gives load balancers time to notice.
struct DrainDelay: Service {
    /// `server.drainDelaySeconds`: how long requests are still accepted.
    let seconds: Int
    /// What `/readyz` answers from.
    let readiness: Readiness
    /// The public listener's connections: from now on each of them ends with its next answer.
    let census: ConnectionCensus
    /// When the shutdown began.
    let end: ShutdownTime

    func run() async throws {
        try await gracefulShutdown()
        end.begin()
        readiness.enter(.draining)
        census.drain()
        try await Task.sleep(for: .seconds(seconds))
    }
}
