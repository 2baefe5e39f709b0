import CoreMetrics
import Offers
import Synchronization

/// Sends requests no faster than Apple allows each app, none to a host that is down, and none before the time that Apple
/// names when it asks for patience (HTTP 429), or says how long it is down (HTTP 503).
///
/// What to do is decided under the lock, and done outside of it. The pace is this process's: with several replicas,
/// each has its own.
final class ThrottledTransport: HTTPTransport {
    fileprivate enum Waiter {
        case begins
        case refused(after: Duration)
        case givenUp
    }

    private struct State {
        var breakers: [String: CircuitBreaker] = [:]
        var rows: [QuestionTurn.Host: QuestionRow] = [:]
        /// The questions that wait in the rows, by their numbers.
        var waiters: [Int: CheckedContinuation<Waiter, Never>] = [:]
        /// The rows whose questions are being begun, one after the other.
        var watched: Set<QuestionTurn.Host> = []
    }

    private let transport: any HTTPTransport
    private let requestsPerSecond: Int
    private let fairTime: Duration
    private let longestRow: Duration
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
        // The last one of a row still has half of its first attempt's time.
        longestRow = RetryBudget(deadline: deadline).timeout(at: .zero) / 2
        self.metrics = metrics
    }

    private var uptime: Duration { start.duration(to: .now) }

    /// Whether a host is not asked because it was down; `false` also when a request may try it.
    func isPaused(_ host: String) -> Bool {
        let now = uptime
        return state.withLock { $0.breakers[host]?.pause(at: now) != nil }
    }

    func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse {
        guard let turn = request.turn else {
            // A call by itself.
            let turn = QuestionTurn()
            defer { end(turn) }
            return try await send(request, in: turn, timeout: timeout)
        }
        return try await send(request, in: turn, timeout: timeout)
    }

    private func send(
        _ request: OutgoingRequest,
        in turn: QuestionTurn,
        timeout: Duration
    ) async throws(TransportFault) -> IncomingResponse {
        let began = uptime
        let host = QuestionTurn.Host(bundleId: request.bundleId, host: request.host)
        let pause = state.withLock { $0.breakers[host.host]?.pause(at: began) }
        if let pause { throw held(by: .breaker, for: pause) }
        if turn.usePlace(at: host) {
            if let hold = state.withLock({ $0.rows[host]?.hold(at: began) }) { throw held(by: .apple, for: hold) }
        } else {
            // The other half is the answer's: in a long row, all would else be sent too late to be answered.
            try await waitForTurn(turn, at: host, of: request.environment, patience: timeout / 2)
        }
        let response = try await sendNow(request, timeout: timeout - (uptime - began))
        if let seconds = RetryAfter.seconds(after: response, at: self.now()) {
            let now = uptime
            change(host) { $0.hold(until: now + .seconds(seconds), at: now) }
        }
        return response
    }

    /// Gives back the places that a question took and did not use.
    func end(_ turn: QuestionTurn) {
        for (host, taken, unused) in turn.end() {
            change(host) { row in
                row.end(of: turn.client, calls: taken, unused: unused)
                return row.begin(at: uptime)
            }
        }
    }

    private func waitForTurn(
        _ turn: QuestionTurn,
        at host: QuestionTurn.Host,
        of environment: AppStoreEnvironment,
        patience: Duration
    ) async throws(TransportFault) {
        let question = turn.question(to: host, patience: patience)
        metrics.waiting.increment()
        defer { metrics.waiting.decrement() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                state.withLock { state in
                    state.waiters[question.number] = waiter
                    if state.rows[host] == nil { state.rows[host] = row(for: environment) }
                }
                change(host) { $0.enter(question, at: uptime) }
                if Task.isCancelled { cancel(question, at: host) }
            }
        } onCancel: {
            cancel(question, at: host)
        }
        switch outcome {
        case .begins: turn.begin(at: host, calls: question.calls)
        case .refused(let time):
            throw held(by: state.withLock { $0.rows[host]?.isHeld(at: uptime) } == true ? .apple : .pace, for: time)
        case .givenUp: throw .timeout
        }
    }

    private func row(for environment: AppStoreEnvironment) -> QuestionRow {
        let pace = environment == .production ? requestsPerSecond : max(requestsPerSecond / 10, 1)
        return QuestionRow(requestsPerSecond: pace, longest: longestRow)
    }

    private func cancel(_ question: QuestionRow.Question, at host: QuestionTurn.Host) {
        let waiter = state.withLock { state in
            state.rows[host]?.leave(question.number, of: question.client) == true
                ? state.waiters.removeValue(forKey: question.number) : nil
        }
        waiter?.resume(returning: .givenUp)
    }

    /// Changes a row, lets those go on whose outcome that is, and has the others begun when it is their turn.
    private func change(_ host: QuestionTurn.Host, _ body: (inout QuestionRow) -> [Int: QuestionRow.Outcome]) {
        let (done, isToBeWatched) = state.withLock { state in
            guard var row = state.rows[host] else {
                return ([] as [(CheckedContinuation<Waiter, Never>, Waiter)], false)
            }
            let outcomes = body(&row)
            state.rows[host] = row
            let done = outcomes.compactMap { number, outcome in
                state.waiters.removeValue(forKey: number).map { ($0, Waiter(outcome)) }
            }
            let isToBeWatched = row.pause(at: uptime) != nil && state.watched.insert(host).inserted
            return (done, isToBeWatched)
        }
        for (waiter, outcome) in done { waiter.resume(returning: outcome) }
        if isToBeWatched { Task { await watch(host) } }
    }

    /// Begins the questions of a row, each when it is its turn, until none waits.
    private func watch(_ host: QuestionTurn.Host) async {
        while true {
            let pause = state.withLock { state in
                let pause = state.rows[host]?.pause(at: uptime)
                if pause == nil { state.watched.remove(host) }
                return pause
            }
            guard let pause else { return }
            try? await Task.sleep(for: pause)
            change(host) { $0.begin(at: uptime) }
        }
    }

    func shutdown() async {
        await transport.shutdown()
    }

    private func sendNow(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse
    {
        let pause = state.withLock { state in
            state.breakers[request.host, default: CircuitBreaker()].admit(at: uptime, timeout: timeout)
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
        return .heldBack(by: restraint, seconds: time.wholeSeconds)
    }

    private func record(isSuccess: Bool, of host: String) {
        state.withLock { state in
            state.breakers[host, default: CircuitBreaker()].record(isSuccess: isSuccess, at: uptime)
        }
    }
}

extension ThrottledTransport.Waiter {
    fileprivate init(_ outcome: QuestionRow.Outcome) {
        switch outcome {
        case .begins: self = .begins
        case .refused(let time): self = .refused(after: time)
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
