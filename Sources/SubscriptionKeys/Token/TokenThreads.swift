import Dispatch
import Synchronization

/// The threads of a module, a fixed number, each with a session of its own for each key.
///
/// A call into a module cannot be stopped. Work whose call takes too long is given up, and its thread gets no other until
/// the call has returned; it throws its sessions away then. While all of them hang, work is refused at once.
final class TokenThreads: Sendable {
    /// A thread, and what is only touched on it.
    // `@unchecked Sendable`: the sessions are touched by the one piece of work that runs on it.
    final class Lane: @unchecked Sendable {
        fileprivate let queue: DispatchQueue
        fileprivate let index: Int
        /// By their key, whose address another one may have had.
        var sessions: [ObjectIdentifier: TokenSession] = [:]

        init(_ index: Int) {
            self.index = index
            queue = DispatchQueue(label: "token.\(index)")
        }
    }

    private struct Job: Sendable {
        /// When it is given up: waiting for a thread, or by the call that it makes now.
        var due: ContinuousClock.Instant
        /// Gives back the delivery of its result.
        let work: @Sendable (Lane) -> @Sendable () -> Void
        let giveUp: @Sendable (TokenFault) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var idle: [Lane]
        /// By the index of their thread.
        var running: [Int: Job] = [:]
        /// The threads whose work was given up.
        var overdue: Set<Int> = []
        var isWatching = false
        /// Whether the module is being finalised, and nobody may call it.
        var isClosed = false

        mutating func next(_ timeout: Duration) -> (job: Job, lane: Lane)? {
            guard !isClosed, !waiting.isEmpty, let lane = idle.popLast() else { return nil }
            var job = waiting.removeFirst()
            job.due = .now + timeout
            running[lane.index] = job
            return (job, lane)
        }
    }

    /// How many time-outs work waits for a thread, and a session may take to open, which is several calls.
    static let patience = 4

    let timeout: Duration
    private let count: Int
    private let state: Mutex<State>
    private let watcher = DispatchQueue(label: "token.deadlines")

    init(count: Int, timeout: Duration) {
        self.count = count
        self.timeout = timeout
        state = Mutex(State(idle: (0..<count).map(Lane.init)))
    }

    /// The fault of work that would be refused now; `nil` while a thread is not hung.
    var hang: TokenFault? { state.withLock { $0.overdue.count == count } ? lateness : nil }

    private var lateness: TokenFault {
        TokenFault("timeout", "the token has not answered within \(timeout.microseconds / 1000) ms")
    }

    /// Does some work on the next thread that is free.
    ///
    /// `completion` is called once, from any thread: with the work's result, or with that of `fault` if it takes too long.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (Lane) -> Value,
        orGiveUp fault: @escaping @Sendable (TokenFault) -> Value,
        completion: @escaping @Sendable (Value) -> Void
    ) {
        if let hang { return completion(fault(hang)) }
        let job = Job(due: .now + timeout * Self.patience) { lane in
            let value = work(lane)
            return { completion(value) }
        } giveUp: {
            completion(fault($0))
        }
        start { $0.waiting.append(job) }
    }

    /// Begins a call, or a few, of running work; throws where the work was given up.
    func beginCall(on lane: Lane, within limit: Duration) throws(TokenFault) {
        let isGivenUp = state.withLock { state in
            state.running[lane.index]?.due = .now + limit
            return state.overdue.contains(lane.index)
        }
        if isGivenUp { throw lateness }
    }

    /// Does some work while no other runs, and none begins meanwhile; `false` where some runs.
    func whileNobodyIsInside(_ work: () -> Void) -> Bool {
        let isEmpty = state.withLock { state in
            guard state.idle.count == count else { return false }
            state.isClosed = true
            return true
        }
        guard isEmpty else { return false }
        work()
        start { $0.isClosed = false }
        return true
    }

    private func start(_ change: (inout State) -> Void) {
        var ready: [(job: Job, lane: Lane)] = []
        let watches = state.withLock { state in
            change(&state)
            while let next = state.next(timeout) { ready.append(next) }
            let isIdle = state.running.isEmpty && state.waiting.isEmpty
            defer { state.isWatching = state.isWatching || !isIdle }
            return !state.isWatching && !isIdle
        }
        for (job, lane) in ready { lane.queue.async { self.run(job, on: lane) } }
        if watches { watch() }
    }

    private func run(_ job: Job, on lane: Lane) {
        let deliver = job.work(lane)
        let isGivenUp = state.withLock { state in
            state.running[lane.index] = nil
            return state.overdue.contains(lane.index)
        }
        if isGivenUp { lane.dropSessions() }
        start { state in
            state.overdue.remove(lane.index)
            state.idle.append(lane)
        }
        if !isGivenUp { deliver() }
    }

    /// Gives up what takes too long, and looks again when the next may.
    private func watch() {
        let now = ContinuousClock.now
        var late: [Job] = []
        let isWatching = state.withLock { state in
            for (index, running) in state.running where running.due <= now && state.overdue.insert(index).inserted {
                late.append(running)
            }
            let isHung = state.overdue.count == count
            late += state.waiting.filter { isHung || $0.due <= now }
            state.waiting.removeAll { isHung || $0.due <= now }
            state.isWatching = state.running.count > state.overdue.count || !state.waiting.isEmpty
            return state.isWatching
        }
        for job in late { job.giveUp(lateness) }
        guard isWatching else { return }
        // Dues change with each call: a fifth of a time-out is near enough.
        watcher.asyncAfter(deadline: .now() + .microseconds(timeout.microseconds / 5)) { self.watch() }
    }
}

extension Duration {
    fileprivate var microseconds: Int { Int(self / .microseconds(1)) }
}
