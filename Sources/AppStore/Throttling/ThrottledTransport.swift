import CoreMetrics
import Offers
import Synchronization

/// Sends requests no faster than Apple allows each app, none to a host that is down, and none before the time that Apple
/// names when it asks for patience (HTTP 429), or says how long it is down (HTTP 503).
///
/// What to do is decided under the lock, and done outside of it. The pace is this process's: with several replicas,
/// each has its own.
final class ThrottledTransport: HTTPTransport {
    private struct PaceKey: Hashable {
        let bundleId: String
        let host: String
    }

    private struct State {
        var breakers: [String: CircuitBreaker] = [:]
        var paces: [PaceKey: RequestPace] = [:]
    }

    private let transport: any HTTPTransport
    private let requestsPerSecond: Int
    private let fairTime: Duration
    private let metrics: AppStoreMetrics
    private let now: @Sendable () -> Timestamp
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(
        _ transport: any HTTPTransport,
        requestsPerSecond: Int,
        deadline: Duration,
        metrics: AppStoreMetrics = AppStoreMetrics(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.now = now
        self.transport = transport
        self.requestsPerSecond = requestsPerSecond
        fairTime = min(deadline / 2, .seconds(1))
        self.metrics = metrics
    }

    /// Whether a host is not asked because it was down; `false` also when a request may try it.
    func isPaused(_ host: String) -> Bool {
        let now = start.duration(to: .now)
        return state.withLock { $0.breakers[host]?.pause(at: now) != nil }
    }

    func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse {
        let began = start.duration(to: .now)
        // The other half is the answer's: in a long row, all would else be sent too late to be answered.
        let patience = timeout / 2
        let key = PaceKey(bundleId: request.bundleId, host: request.host)
        let isProduction = request.environment == .production
        let pace = isProduction ? requestsPerSecond : max(requestsPerSecond / 10, 1)
        let wait = try state.withLock { (state) throws(TransportFault) -> Duration in
            if let pause = state.breakers[key.host]?.pause(at: began) { throw held(by: .breaker, for: pause) }
            var row = state.paces[key] ?? RequestPace(requestsPerSecond: pace)
            let wait = row.reserve(at: began, patience: patience)
            state.paces[key] = row
            guard wait <= patience else { throw held(by: row.isHeld(at: began) ? .apple : .pace, for: wait) }
            return wait
        }
        if wait > .zero {
            metrics.waiting.increment()
            defer { metrics.waiting.decrement() }
            do {
                try await Task.sleep(for: wait)
            } catch {
                state.withLock { $0.paces[key]?.giveBack() }
                throw .timeout
            }
        }
        let response = try await sendNow(request, timeout: timeout - wait)
        if let seconds = RetryAfter.seconds(after: response, at: now()) {
            state.withLock { $0.paces[key]?.hold(until: start.duration(to: .now) + .seconds(seconds)) }
        }
        return response
    }

    func shutdown() async {
        await transport.shutdown()
    }

    private func sendNow(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse
    {
        let pause = state.withLock { state in
            state.breakers[request.host, default: CircuitBreaker()].admit(
                at: start.duration(to: .now),
                timeout: timeout
            )
        }
        if let pause { throw held(by: .breaker, for: pause) }
        do throws(TransportFault) {
            let response = try await transport.send(request, timeout: timeout)
            record(isSuccess: !request.isOutage(response), of: request.host)
            return response
        } catch {
            switch error {
            // A call whose own time was short, or that was given up, says nothing of the host.
            case .failed(.timeout, _) where timeout < fairTime: break
            case .failed(.tooLarge, _): record(isSuccess: true, of: request.host)
            case .failed: if !Task.isCancelled { record(isSuccess: false, of: request.host) }
            case .heldBack: break
            }
            throw error
        }
    }

    private func held(by restraint: AppStoreMetrics.Restraint, for time: Duration) -> TransportFault {
        metrics.countHeldBack(by: restraint)
        return .heldBack(seconds: time.wholeSeconds)
    }

    private func record(isSuccess: Bool, of host: String) {
        state.withLock { state in
            state.breakers[host, default: CircuitBreaker()].record(isSuccess: isSuccess, at: start.duration(to: .now))
        }
    }
}

extension Duration {
    /// The duration in whole seconds, rounded up, at least 1: what `Retry-After` can say.
    var wholeSeconds: Int {
        let (seconds, attoseconds) = components
        return max(Int(seconds) + (attoseconds > 0 ? 1 : 0), 1)
    }
}

/// Has equal questions that are asked at the same time answered by one call.
final class SingleFlight: Sendable {
    private typealias Flight = Task<Result<Book, EvidenceFault>, Never>

    private let flights = Mutex<[QuestionKey: Flight]>([:])
    private let metrics: AppStoreMetrics

    init(metrics: AppStoreMetrics = AppStoreMetrics()) {
        self.metrics = metrics
    }

    var count: Int { flights.withLock { $0.count } }

    /// The answer to a question: of the call that is under way, or of a new one.
    ///
    /// The call goes on when its first caller has gone, as others may wait for it; it ends by its own deadline.
    func history(
        for key: QuestionKey,
        _ ask: @escaping @Sendable () async throws(EvidenceFault) -> Book
    ) async throws(EvidenceFault) -> Book {
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
