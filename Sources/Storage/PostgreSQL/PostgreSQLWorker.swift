import Dispatch
import Foundation

/// One connection to PostgreSQL with a thread of its own, and the pieces of work that wait for it.
///
/// libpq blocks, so nothing of it runs on the cooperative pool or an event loop. The thread connects, keeps the connection
/// alive, and connects anew when it is lost, with pauses that grow; nobody has to ask for that. Work that is submitted
/// meanwhile waits, for as long as the limits say, and then fails, whatever the thread is busy with.
final class PostgreSQLWorker: @unchecked Sendable {
    // `@unchecked Sendable`: everything that changes is guarded by `condition`; the connection never leaves the thread.

    private final class Job {
        let deadline: ContinuousClock.Instant
        /// Whether it may be done once more when the connection broke under it.
        let isRepeatable: Bool
        /// Whether nobody waits for it beyond the deadline while it is done.
        let isHurried: Bool
        /// Does it, on the worker's thread; `nil`, or why it failed.
        let perform: (PostgreSQLConnection) -> PostgreSQLError?
        /// Called once at the end: with `nil`, or why it failed.
        let complete: (PostgreSQLError?) -> Void
        var isOver = false

        init(
            deadline: ContinuousClock.Instant,
            isRepeatable: Bool,
            isHurried: Bool,
            perform: @escaping (PostgreSQLConnection) -> PostgreSQLError?,
            complete: @escaping (PostgreSQLError?) -> Void
        ) {
            self.deadline = deadline
            self.isRepeatable = isRepeatable
            self.isHurried = isHurried
            self.perform = perform
            self.complete = complete
        }
    }

    private enum Next {
        case job(Job)
        case nothing
        case end
    }

    private let hosts: PostgreSQLHosts
    private let limits: PostgreSQLLimits
    private let prepare: @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Void
    private let report: @Sendable (PostgreSQLError?) -> Void
    private let condition = NSCondition()
    private let watch = DispatchQueue(label: "postgresql.deadlines")
    private var jobs: [Job] = []
    /// The piece of work that is being done, and its start.
    private var inHand: (job: Job, since: ContinuousClock.Instant)?
    /// Why the last piece of work failed; `nil` when it did not.
    private var lastError: PostgreSQLError?
    private var currentFault: PostgreSQLError? = PostgreSQLError(.unreachable, "there was no answer yet")
    /// Since when there is known to be no connection; `nil` while there is one, and before the first attempt has failed.
    private var faultySince: ContinuousClock.Instant?
    /// Why the connection that is there is to be left; `nil` when it is not.
    private var leaving: PostgreSQLError?
    private var isWatching = false
    private var isStopping = false
    private var hasEnded = false
    private var ends: [@Sendable () -> Void] = []

    /// Starts the thread, which begins to connect; its name is for debuggers.
    ///
    /// Each new connection is prepared before it is used. It is reported on the thread when the connection is lost or
    /// cannot be made (an error, once each), and when it is there again (`nil`).
    init(
        name: String,
        hosts: PostgreSQLHosts,
        limits: PostgreSQLLimits = PostgreSQLLimits(),
        prepare: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Void = { _ in },
        report: @escaping @Sendable (PostgreSQLError?) -> Void = { _ in }
    ) {
        self.hosts = hosts
        self.limits = limits
        self.prepare = prepare
        self.report = report
        Thread.detachNewThread {
            Thread.current.name = name
            self.work()
        }
    }

    /// Why there is no connection; `nil` while there is one.
    var fault: PostgreSQLError? { condition.withLock { currentFault } }

    /// How much there is to do; more than anything where there is no connection.
    var load: Int { condition.withLock { currentFault == nil ? jobs.count + (inHand == nil ? 0 : 1) : .max } }

    /// Whether a piece of work takes longer than a second, or the last one ended as one that was waited for too long.
    var isHeldUp: Bool {
        condition.withLock {
            if let inHand, inHand.since.duration(to: .now) > .seconds(1) { return true }
            return lastError?.isOfWaiting ?? false
        }
    }

    /// Adds a piece of work; the completion is called on the worker's thread, or at once on this one when it cannot be taken.
    ///
    /// It is repeatable where doing it twice is the same as doing it once: then it is done anew when the connection broke under
    /// it. Hurried, it is refused at once where there has been no connection for a second, and given up when its time is
    /// over though it is under way.
    func submit<Value>(
        isRepeatable: Bool = false,
        isHurried: Bool = false,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value,
        completion: @escaping @Sendable (Result<Value, PostgreSQLError>) -> Void
    ) {
        // Read where the work itself ended, which wrote it.
        var outcome: Result<Value, PostgreSQLError> = .failure(PostgreSQLError(.stopped))
        let job = Job(
            deadline: .now + (isHurried ? limits.answering : limits.waiting),
            isRepeatable: isRepeatable,
            isHurried: isHurried,
            perform: { connection in
                do throws(PostgreSQLError) {
                    outcome = .success(try body(connection))
                    return nil
                } catch {
                    return error
                }
            },
            complete: { completion($0.map { .failure($0) } ?? outcome) }
        )
        if let refusal = enqueue(job, isHurried: isHurried) { completion(.failure(refusal)) }
    }

    /// Does a piece of work, and waits for it.
    func run<Value: Sendable>(
        isRepeatable: Bool = false,
        isHurried: Bool = false,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) async throws(PostgreSQLError) -> Value {
        let result = await withCheckedContinuation { continuation in
            submit(isRepeatable: isRepeatable, isHurried: isHurried, body) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Does a piece of work, and blocks this thread until it is done: not to be called from the cooperative pool.
    func wait<Value>(
        isRepeatable: Bool = false,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) throws(PostgreSQLError) -> Value {
        // `nonisolated(unsafe)`: written before the signal, and read after it.
        nonisolated(unsafe) var result: Result<Value, PostgreSQLError> = .failure(PostgreSQLError(.stopped))
        let done = DispatchSemaphore(value: 0)
        submit(isRepeatable: isRepeatable, body) { outcome in
            result = outcome
            done.signal()
        }
        done.wait()
        return try result.get()
    }

    /// Has it leave the connection that it has, and prepare a new one.
    func leave(_ reason: PostgreSQLError) {
        condition.withLock {
            leaving = reason
            condition.signal()
        }
    }

    /// Does what is waiting already, takes nothing new, and closes the connection.
    func stop() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOver = condition.withLock {
                isStopping = true
                condition.signal()
                if !hasEnded { ends.append { continuation.resume() } }
                return hasEnded
            }
            if isOver { continuation.resume() }
        }
    }

    /// Does what ``stop()`` does, without waiting for it.
    func end() {
        condition.withLock {
            isStopping = true
            condition.signal()
        }
    }

    private func enqueue(_ job: Job, isHurried: Bool) -> PostgreSQLError? {
        let (refusal, startsWatching): (PostgreSQLError?, Bool) = condition.withLock {
            guard !isStopping else { return (PostgreSQLError(.stopped), false) }
            if isHurried, let faultySince, faultySince.duration(to: .now) >= .seconds(1) {
                return (currentFault, false)
            }
            guard jobs.count < limits.queue else { return (PostgreSQLError(.busy), false) }
            jobs.append(job)
            condition.signal()
            defer { isWatching = true }
            return (nil, !isWatching)
        }
        if startsWatching { watchDeadlines() }
        return refusal
    }

    /// Fails pieces of work whose time is over, as long as any waits.
    private func watchDeadlines() {
        watch.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
            guard let self else { return }
            let (late, fault, goesOn) = condition.withLock {
                let now = ContinuousClock.now
                var late = self.jobs.filter { $0.deadline <= now }
                self.jobs.removeAll { $0.deadline <= now }
                if let job = self.inHand?.job, job.isHurried, job.deadline <= now, !job.isOver { late.append(job) }
                self.isWatching = !self.jobs.isEmpty || self.inHand.map { !$0.job.isOver } ?? false
                return (late, self.currentFault, self.isWatching)
            }
            for job in late { settle(job, fault ?? PostgreSQLError(.busy)) }
            if goesOn { watchDeadlines() }
        }
    }

    /// Completes a piece of work, unless it is completed already.
    private func settle(_ job: Job, _ error: PostgreSQLError?) {
        let isFirst = condition.withLock {
            defer { job.isOver = true }
            return !job.isOver
        }
        if isFirst { job.complete(error) }
    }
}

extension PostgreSQLError {
    /// Whether something was waited for, as a lock or a standby may be.
    fileprivate var isOfWaiting: Bool {
        switch code {
        case .timedOut, .uncertain, .refused(.lockNotAvailable), .refused(.cancelled): true
        default: false
        }
    }
}

// MARK: The thread

extension PostgreSQLWorker {
    /// How long nothing may happen before the connection is tried.
    private static let idle = Duration.seconds(1)

    private func work() {
        var connection: PostgreSQLConnection?
        var backoff = Backoff()
        var attempt = 0
        var nextAttempt = ContinuousClock.now
        while true {
            if let open = connection {
                var loss = PostgreSQLError(.connectionLost, open.place)
                switch nextJob(waiting: Self.idle) {
                case .end:
                    connection = nil
                    return finish()
                case .job(let job):
                    // A connection that the server has closed is noticed before anything is sent: nothing is lost.
                    if open.isAlive(), !hosts.isOutdated(open) { perform(job, on: open) } else { putBack(job) }
                case .nothing:
                    do throws(PostgreSQLError) { try open.beat() } catch { if error.code == .pooled { loss = error } }
                }
                if hosts.isOutdated(open) { loss = hosts.superseded(open) }
                if let reason = consumeReason() { loss = reason }
                guard open.isBroken || !open.isAlive() || [.superseded, .pooled].contains(loss.code) else { continue }
                connection = nil
                updateFault(loss)
            } else if nextAttempt <= .now {
                do throws(PostgreSQLError) {
                    let new = try hosts.connect(limits: limits, attempt: attempt)
                    try prepare(new)
                    _ = consumeReason()
                    connection = new
                    attempt = 0
                    backoff.reset()
                    updateFault(nil)
                } catch {
                    updateFault(error)
                    attempt += 1
                    nextAttempt = .now + backoff.pause(chance: .random(in: 0...1))
                }
            } else if !waitWithoutConnection(until: nextAttempt) {
                return finish()
            }
        }
    }

    /// Why the connection is to be left: since it was asked to, or by the last piece of work.
    private func consumeReason() -> PostgreSQLError? {
        condition.withLock {
            let pooled = lastError?.code == .pooled ? lastError : nil
            if pooled != nil { lastError = nil }
            defer { leaving = nil }
            return leaving ?? pooled
        }
    }

    private func perform(_ job: Job, on connection: PostgreSQLConnection) {
        let error = job.deadline < .now ? PostgreSQLError(.busy) : job.perform(connection)
        condition.withLock {
            inHand = nil
            lastError = error
        }
        if error != nil, job.isRepeatable, connection.isBroken, job.deadline > .now {
            putBack(job)
        } else {
            settle(job, error)
        }
    }

    private func nextJob(waiting: Duration) -> Next {
        condition.withLock {
            if jobs.isEmpty, !isStopping { _ = condition.wait(until: Date() + Self.seconds(waiting)) }
            guard !jobs.isEmpty else { return isStopping ? .end : .nothing }
            let job = jobs.removeFirst()
            inHand = (job, .now)
            return .job(job)
        }
    }

    private func putBack(_ job: Job) {
        condition.withLock {
            inHand = nil
            if !job.isOver { jobs.insert(job, at: 0) }
        }
    }

    /// Lets work wait; `false` when the worker is to end.
    private func waitWithoutConnection(until attempt: ContinuousClock.Instant) -> Bool {
        condition.withLock {
            if !isStopping { _ = condition.wait(until: Date() + max(Self.seconds(attempt - .now), 0.001)) }
            return !isStopping
        }
    }

    private func updateFault(_ fault: PostgreSQLError?) {
        let isNews = condition.withLock {
            defer { currentFault = fault }
            faultySince = fault == nil ? nil : faultySince ?? .now
            return currentFault != fault
        }
        if isNews { report(fault) }
    }

    private func finish() {
        let (rest, ends, fault) = condition.withLock {
            hasEnded = true
            defer {
                jobs = []
                self.ends = []
            }
            return (jobs, self.ends, currentFault)
        }
        for job in rest { settle(job, fault ?? PostgreSQLError(.stopped)) }
        for end in ends { end() }
    }

    private static func seconds(_ duration: Duration) -> TimeInterval {
        Double(duration.milliseconds) / 1000
    }
}
