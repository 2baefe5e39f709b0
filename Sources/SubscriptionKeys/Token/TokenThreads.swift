import Dispatch
import Glibc
import Synchronization

/// The threads of a module, a fixed number, each with a session of its own for each key.
///
/// A call into a module cannot be stopped. Work whose call takes too long is given up, and its thread gets no other until
/// the call has returned, or until another thread takes its place; it throws its sessions away then. While all of them
/// hang, work is refused at once.
final class TokenThreads: Sendable {
    /// A thread, and what is only touched on it.
    // `@unchecked Sendable`: the sessions are touched by the one piece of work that runs on it.
    final class Lane: @unchecked Sendable {
        /// Its number among those in use.
        let place: Int
        fileprivate let queue: DispatchQueue
        /// By their key, whose address another one may have had.
        var sessions: [ObjectIdentifier: TokenSession] = [:]

        init(_ place: Int) {
            self.place = place
            queue = DispatchQueue(label: "token.\(place)")
        }
    }

    private struct Job: Sendable {
        /// Whether it may run on the thread of a place.
        let fits: @Sendable (Int) -> Bool
        /// When it is given up: waiting for a thread, or by the call that it makes now.
        var due: ContinuousClock.Instant
        /// Gives back the delivery of its result.
        let work: @Sendable (Lane) -> @Sendable () -> Void
        let giveUp: @Sendable (TokenFault) -> Void
    }

    private struct State {
        /// Those in use, by their place.
        var lanes: [Lane]
        var idle: [Lane]
        var waiting: [Job] = []
        var running: [ObjectIdentifier: Job] = [:]
        /// The threads in use whose work was given up.
        var overdue: Set<ObjectIdentifier> = []
        /// The number of threads that others have taken the place of, and whose call has not returned.
        var replaced = 0
        var isWatching = false
        /// Whether the module is being finalised, and nobody may call it.
        var isClosed = false

        init(count: Int) {
            lanes = (0..<count).map(Lane.init)
            idle = lanes
        }

        var isHung: Bool { overdue.count == lanes.count }

        func isInUse(_ lane: Lane) -> Bool { lanes[lane.place] === lane }

        mutating func next(_ timeout: Duration) -> (job: Job, lane: Lane)? {
            guard !isClosed, !idle.isEmpty else { return nil }
            for index in waiting.indices {
                guard let free = idle.lastIndex(where: { waiting[index].fits($0.place) }) else { continue }
                let lane = idle.remove(at: free)
                var job = waiting.remove(at: index)
                job.due = .now + timeout
                running[ObjectIdentifier(lane)] = job
                return (job, lane)
            }
            return nil
        }
    }

    /// How many time-outs work waits for a thread, and a session may take to open, which is several calls.
    static let patience = 4
    /// How many threads whose call hangs are replaced at a time.
    private static let mostReplaced = 16

    let timeout: Duration
    let places: Range<Int>
    private let state: Mutex<State>
    private let watcher = DispatchQueue(label: "token.deadlines")

    init(count: Int, timeout: Duration) {
        places = 0..<count
        self.timeout = timeout
        state = Mutex(State(count: count))
    }

    /// The places whose thread hangs.
    var hung: Set<Int> {
        state.withLock { state in
            guard !state.overdue.isEmpty else { return [] }
            return Set(state.lanes.filter { state.overdue.contains(ObjectIdentifier($0)) }.map(\.place))
        }
    }

    var lateness: TokenFault {
        TokenFault("timeout", "the token has not answered within \(timeout.microseconds / 1000) ms")
    }

    /// Does some work on the next thread that is free and fits; by default it waits four time-outs for one.
    ///
    /// `completion` is called once, from any thread: with the work's result, or with that of `fault` if it takes too long.
    func run<Value: Sendable>(
        on fits: @escaping @Sendable (Int) -> Bool,
        waiting patience: Duration? = nil,
        _ work: @escaping @Sendable (Lane) -> Value,
        orGiveUp fault: @escaping @Sendable (TokenFault) -> Value,
        completion: @escaping @Sendable (Value) -> Void
    ) {
        if state.withLock({ $0.isHung }) { return completion(fault(lateness)) }
        let job = Job(fits: fits, due: .now + (patience ?? timeout * Self.patience)) { lane in
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
            guard state.isInUse(lane) else { return true }
            state.running[ObjectIdentifier(lane)]?.due = .now + limit
            return state.overdue.contains(ObjectIdentifier(lane))
        }
        if isGivenUp { throw lateness }
    }

    /// Puts another thread in the place of one that hangs; `false` where it still hangs, as too many do.
    func replaceHung(_ place: Int) -> Bool {
        var isFree = true
        start { state in
            let lane = state.lanes[place]
            guard state.overdue.contains(ObjectIdentifier(lane)) else { return }
            isFree = state.replaced < Self.mostReplaced
            guard isFree else { return }
            state.overdue.remove(ObjectIdentifier(lane))
            state.replaced += 1
            state.lanes[place] = Lane(place)
            state.idle.append(state.lanes[place])
        }
        return isFree
    }

    /// Does some work while no other runs, and none begins meanwhile; `false` where some still runs at the end of the limit.
    func whileNobodyIsInside(within limit: Duration, _ work: () -> Void) -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return false }
        defer { start { $0.isClosed = false } }
        let end = ContinuousClock.now + limit
        while !state.withLock({ $0.idle.count == $0.lanes.count && $0.replaced == 0 }) {
            guard ContinuousClock.now < end else { return false }
            usleep(2000)
        }
        work()
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
            state.running[ObjectIdentifier(lane)] = nil
            return !state.isInUse(lane) || state.overdue.contains(ObjectIdentifier(lane))
        }
        if isGivenUp { lane.dropSessions() }
        start { state in
            if state.isInUse(lane) {
                state.overdue.remove(ObjectIdentifier(lane))
                state.idle.append(lane)
            } else {
                state.replaced -= 1
            }
        }
        if !isGivenUp { deliver() }
    }

    /// Gives up what takes too long, and looks again when the next may.
    private func watch() {
        let now = ContinuousClock.now
        var late: [Job] = []
        let isWatching = state.withLock { state in
            for lane in state.lanes {
                let name = ObjectIdentifier(lane)
                guard let job = state.running[name], job.due <= now, state.overdue.insert(name).inserted else {
                    continue
                }
                late.append(job)
            }
            let isHung = state.isHung
            late += state.waiting.filter { isHung || $0.due <= now }
            state.waiting.removeAll { isHung || $0.due <= now }
            let isRunning = state.lanes.contains { lane in
                state.running[ObjectIdentifier(lane)] != nil && !state.overdue.contains(ObjectIdentifier(lane))
            }
            state.isWatching = isRunning || !state.waiting.isEmpty
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
