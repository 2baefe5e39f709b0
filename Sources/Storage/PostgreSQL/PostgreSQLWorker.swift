import Dispatch
import Foundation

/// One connection to PostgreSQL with a thread of its own, and the pieces of work that wait for it.
///
/// libpq blocks, so nothing of it runs on the cooperative pool or an event loop. The thread connects, keeps the connection
/// alive, and connects anew when it is lost, with pauses that grow; nobody has to ask for that. Work that is submitted
/// meanwhile waits, for as long as the limits say, and then fails.
final class PostgreSQLWorker: @unchecked Sendable {
    // `@unchecked Sendable`: everything that changes is guarded by `condition`; the connection never leaves the thread.

    /// A piece of work.
    struct Job {
        /// Until when it may wait for its turn.
        let deadline: ContinuousClock.Instant
        /// Whether it may be done once more when the connection broke under it.
        let isRepeatable: Bool
        /// Does it, on the worker's thread; `nil`, or why it failed.
        let perform: (PostgreSQLConnection) -> PostgreSQLError?
        /// Told once at the end: `nil`, or why it failed.
        let complete: (PostgreSQLError?) -> Void
    }

    private let location: PostgreSQLLocation
    private let limits: PostgreSQLLimits
    private let prepare: @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Void
    private let report: @Sendable (PostgreSQLError?) -> Void
    private let condition = NSCondition()
    private var jobs: [Job] = []
    /// How many pieces of work were taken and are not done.
    private var unfinished = 0
    private var currentFault: PostgreSQLError? = PostgreSQLError(.unreachable, "not connected yet")
    /// Since when there is known to be no connection; `nil` while there is one, and before the first attempt has failed.
    private var faultySince: ContinuousClock.Instant?
    private var isStopping = false
    private var hasEnded = false
    private var ends: [@Sendable () -> Void] = []

    /// Starts the thread, which begins to connect.
    ///
    /// - Parameters:
    ///   - name: The thread's name, for debuggers.
    ///   - location: Where the database is.
    ///   - limits: How long things may take.
    ///   - prepare: What each new connection goes through before it is used, such as a look at the schema.
    ///   - report: Told on the worker's thread when the connection is lost or cannot be made (an error, once each), and
    ///     when it is there again (`nil`).
    init(
        name: String,
        location: PostgreSQLLocation,
        limits: PostgreSQLLimits = PostgreSQLLimits(),
        prepare: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Void = { _ in },
        report: @escaping @Sendable (PostgreSQLError?) -> Void = { _ in }
    ) {
        self.location = location
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
    var load: Int { condition.withLock { currentFault == nil ? unfinished : .max } }

    /// Adds a piece of work.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether doing it twice is the same as doing it once: it is done anew when the connection broke
    ///     under it.
    ///   - isHurried: Whether it is refused at once where there has been no connection for a second.
    ///   - body: What to do, on the worker's thread.
    ///   - completion: Told the outcome, on the worker's thread, or at once on this one when it cannot be taken.
    func submit<Value>(
        isRepeatable: Bool = false,
        isHurried: Bool = false,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value,
        completion: @escaping @Sendable (Result<Value, PostgreSQLError>) -> Void
    ) {
        var outcome: Result<Value, PostgreSQLError> = .failure(PostgreSQLError(.stopped))
        let job = Job(
            deadline: .now + limits.waiting,
            isRepeatable: isRepeatable,
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
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether doing it twice is the same as doing it once.
    ///   - isHurried: Whether it is refused at once where there has been no connection for a second.
    ///   - body: What to do, on the worker's thread.
    /// - Returns: What `body` returned.
    /// - Throws: ``PostgreSQLError``.
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
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether doing it twice is the same as doing it once.
    ///   - body: What to do, on the worker's thread.
    /// - Returns: What `body` returned.
    /// - Throws: ``PostgreSQLError``.
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
        condition.withLock {
            guard !isStopping else { return PostgreSQLError(.stopped) }
            if isHurried, let faultySince, faultySince.duration(to: .now) >= .seconds(1) { return currentFault }
            guard jobs.count < limits.queue else { return PostgreSQLError(.busy) }
            jobs.append(job)
            unfinished += 1
            condition.signal()
            return nil
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
        var nextAttempt = ContinuousClock.now
        while true {
            if let open = connection {
                guard let batch = takeJobs(waiting: Self.idle) else { break }
                // What has come meanwhile is done in order; nothing has: see whether the server is there.
                for (index, job) in batch.enumerated() {
                    // What the server has closed by then is noticed before anything is sent, and nothing is lost by it.
                    guard open.isAlive() else {
                        putBack(batch[index...])
                        break
                    }
                    perform(job, on: open)
                }
                if batch.isEmpty { _ = try? open.run(Self.heartbeat) }
                if open.isBroken || !open.isAlive() {
                    connection = nil
                    note(PostgreSQLError(.connectionLost))
                }
            } else if nextAttempt <= .now {
                do throws(PostgreSQLError) {
                    let new = try PostgreSQLConnection(to: location, limits: limits)
                    try prepare(new)
                    connection = new
                    backoff.reset()
                    note(nil)
                } catch {
                    note(error)
                    nextAttempt = .now + backoff.pause(chance: .random(in: 0...1))
                }
            } else {
                guard waitWithoutConnection(until: nextAttempt) else { break }
            }
        }
        connection = nil
        finish()
    }

    private static let heartbeat = SQLCall("SELECT 1")

    private func perform(_ job: Job, on connection: PostgreSQLConnection) {
        let error = job.deadline < .now ? PostgreSQLError(.busy) : job.perform(connection)
        if error != nil, job.isRepeatable, connection.isBroken, job.deadline > .now {
            putBack([job])
        } else {
            complete(job, error)
        }
    }

    private func complete(_ job: Job, _ error: PostgreSQLError?) {
        condition.withLock { unfinished -= 1 }
        job.complete(error)
    }

    /// Waits for work, for a while.
    ///
    /// - Returns: All that is waiting, perhaps nothing; `nil` when the worker is to end.
    private func takeJobs(waiting: Duration) -> [Job]? {
        condition.withLock {
            if jobs.isEmpty, !isStopping { _ = condition.wait(until: Date() + Self.seconds(waiting)) }
            guard !jobs.isEmpty || !isStopping else { return nil }
            let taken = jobs
            jobs = []
            return taken
        }
    }

    private func putBack(_ rest: some Sequence<Job>) {
        condition.withLock { jobs.insert(contentsOf: Array(rest), at: 0) }
    }

    /// Lets work wait, and gives up what has waited for too long.
    ///
    /// - Returns: `false` when the worker is to end.
    private func waitWithoutConnection(until attempt: ContinuousClock.Instant) -> Bool {
        let (late, isStopping, fault) = condition.withLock {
            let next = jobs.map(\.deadline).min().map { min($0, attempt) } ?? attempt
            if !self.isStopping, next > .now {
                _ = condition.wait(until: Date() + max(Self.seconds(next - .now), 0.001))
            }
            let now = ContinuousClock.now
            let late = jobs.filter { $0.deadline <= now || self.isStopping }
            jobs.removeAll { $0.deadline <= now || self.isStopping }
            return (late, self.isStopping, currentFault)
        }
        for job in late { complete(job, fault ?? PostgreSQLError(.unreachable)) }
        return !isStopping
    }

    private func note(_ fault: PostgreSQLError?) {
        let isNews = condition.withLock {
            defer { currentFault = fault }
            faultySince = fault == nil ? nil : faultySince ?? .now
            return currentFault != fault
        }
        if isNews { report(fault) }
    }

    private func finish() {
        let (rest, ends) = condition.withLock {
            hasEnded = true
            defer {
                jobs = []
                self.ends = []
            }
            return (jobs, self.ends)
        }
        for job in rest { complete(job, PostgreSQLError(.stopped)) }
        for end in ends { end() }
    }

    private static func seconds(_ duration: Duration) -> TimeInterval {
        Double(duration.milliseconds) / 1000
    }
}
