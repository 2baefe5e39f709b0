import NIOCore
import NIOPosix
import Synchronization

/// What one event loop does of a run: its connections, its part of the schedule, its tally.
///
/// Everything in it happens on its event loop, so nothing in it is locked.
final class LoadLane {
    private let plan: LoadPlan
    private let number: Int
    private let eventLoop: any EventLoop
    private let finished: EventLoopPromise<LoadTally>
    private let closed: EventLoopPromise<Void>

    private var schedule: LoadSchedule?
    private var earlyEnd: Int64?
    private var counts: LaneCounts
    private var position: Int
    private var taken: [Int]
    private var due = 0
    private var inFlight = 0
    private var connecting = 0
    private var isClosed = false
    private var isOver = false
    private var hasFinished = false
    private var isWaiting = false
    private var connections: [LoadConnection] = []
    private var idle: [LoadConnection] = []
    private var task: RepeatedTask?

    init(_ number: Int, of plan: LoadPlan, on eventLoop: any EventLoop, collector: SecondsCollector) {
        self.plan = plan
        self.number = number
        self.eventLoop = eventLoop
        finished = eventLoop.makePromise()
        closed = eventLoop.makePromise()
        counts = LaneCounts(plan, lane: number, collector: collector)
        position = plan.deck.order.count * number / plan.eventLoops
        taken = Array(repeating: 0, count: plan.deck.kinds.count)
    }

    var result: EventLoopFuture<LoadTally> { finished.futureResult }

    /// Done when at least one connection is open; fails with the reason when none is.
    func open() -> EventLoopFuture<Void> {
        let number = (number..<plan.connections).reduce(0) { $0 + (($1 - self.number) % plan.eventLoops == 0 ? 1 : 0) }
        let attempts = (0..<number).map { _ in connect() }
        return EventLoopFuture.whenAllComplete(attempts, on: eventLoop).flatMapThrowing { results in
            let reasons = results.compactMap { result -> String? in
                if case .failure(let error) = result { LoadFailure.reason(error) } else { nil }
            }
            if let reason = reasons.first, reasons.count == results.count { throw LoadFault(reason) }
        }
    }

    func begin(_ schedule: LoadSchedule) {
        self.schedule = schedule
        counts.begin(schedule)
        if let earlyEnd { return end(at: earlyEnd) }
        task = eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(250), delay: .milliseconds(250)) {
            [bound = bound] _ in bound.value.abandonLateOnes()
        }
        endSeconds()
        eventLoop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(schedule.end))) { [bound = bound] in
            bound.value.end(at: schedule.end)
        }
        let missing = (plan.connections - number + plan.eventLoops - 1) / plan.eventLoops - connections.count
        for _ in 0..<max(0, missing) { reconnect(after: Self.pause) }
        if plan.rate == nil {
            let ready = idle
            idle = []
            for connection in ready { sendNext(connection) }
        } else {
            sendWhatIsDue()
        }
    }

    /// Ends the run, at its end or before.
    func end(at moment: Int64) {
        guard !isOver, var schedule else {
            earlyEnd = moment
            return
        }
        counts.advance(to: moment)
        schedule.end = min(schedule.end, moment)
        self.schedule = schedule
        isOver = true
        countWhatWasNotSent(schedule)
        counts.end(schedule)
        for connection in idle { connection.close() }
        finishIfDone()
    }

    /// Waits no longer for the answers that are missing once the run has ended.
    func abandon() {
        guard isOver else { return }
        for connection in connections { connection.fail(.unanswered) }
    }

    /// Closes what is open.
    ///
    /// Done when the event loop may go: no connection is on its way that would come back to it.
    func close() -> EventLoopFuture<Void> {
        isOver = true
        isClosed = true
        task?.cancel()
        finished.fail(EventLoopError.cancelled)
        for connection in connections { connection.close() }
        if connecting == 0 { closed.succeed() }
        return closed.futureResult
    }

    // MARK: What connections tell

    func opened(_ connection: LoadConnection) {
        connections.append(connection)
        guard !isOver else { return connection.close() }
        if schedule != nil, plan.rate == nil {
            sendNext(connection)
        } else {
            wait(connection)
        }
    }

    func lost(_ connection: LoadConnection) {
        connections.removeAll { $0 === connection }
        idle.removeAll { $0 === connection }
        if !isOver { reconnect(after: connection.isOrderly ? .zero : Self.pause) }
        finishIfDone()
    }

    func answered(_ connection: LoadConnection, _ flight: LoadConnection.Flight, _ answer: AnswerReader.Answer) {
        let now = Self.now
        inFlight -= 1
        counts.count(answer, of: flight, at: now)
        if isOver || answer.closes {
            connection.close()
            finishIfDone()
        } else if plan.rate == nil {
            sendNext(connection)
        } else {
            wait(connection)
        }
    }

    func failed(_ flight: LoadConnection.Flight, _ failure: LoadFailure) {
        inFlight -= 1
        counts.count(failure, of: flight, at: Self.now)
        finishIfDone()
    }

    // MARK: Sending

    private func sendNext(_ connection: LoadConnection, intended: Int64? = nil) {
        let request = nextRequest()
        let now = Self.now
        inFlight += 1
        connection.send(
            plan.deck.bytes(request),
            LoadConnection.Flight(request: request, intended: intended ?? now, sent: now)
        )
    }

    /// The next request; the lanes take turns in the requests of a kind.
    private func nextRequest() -> RequestDeck.Place {
        let kind = plan.deck.order[position]
        position += 1
        if position == plan.deck.order.count { position = 0 }
        defer { taken[kind] += 1 }
        return RequestDeck.Place(kind: kind, number: (taken[kind] * plan.eventLoops + number) / plan.repeats)
    }

    /// When a request of the open loop is due: the lanes take turns.
    private func moment(ofDue index: Int, _ schedule: LoadSchedule, rate: Double) -> Int64 {
        schedule.start + Int64(Double(index * plan.eventLoops + number) / rate * 1e9)
    }

    private func wait(_ connection: LoadConnection) {
        connection.freeSince = Self.now
        idle.append(connection)
        sendWhatIsDue()
    }

    private func sendWhatIsDue() {
        guard let rate = plan.rate, let schedule, !isOver else { return }
        let now = Self.now
        if now >= schedule.warmUpEnd { leaveWarmUpBehind(schedule, rate: rate) }
        var moment = moment(ofDue: due, schedule, rate: rate)
        while moment <= now, moment < schedule.end, let longest = idle.first, let connection = idle.popLast() {
            due += 1
            // With a connection free, only the generator itself is late.
            if longest.freeSince <= moment { counts.count(lateness: now - moment, intended: moment) }
            sendNext(connection, intended: moment)
            moment = self.moment(ofDue: due, schedule, rate: rate)
        }
        // With no idle connection, the next answer comes back here.
        guard !idle.isEmpty, !isWaiting, moment < schedule.end else { return }
        isWaiting = true
        eventLoop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(moment))) { [bound = bound] in
            bound.value.isWaiting = false
            bound.value.sendWhatIsDue()
        }
    }

    /// A request that was due in the warm-up and not sent in it is dropped: of a service that falls behind, nothing
    /// else would be seen.
    private func leaveWarmUpBehind(_ schedule: LoadSchedule, rate: Double) {
        let seconds = Double(schedule.warmUpEnd - schedule.start) / 1e9
        due = max(due, Int((seconds * rate - Double(number)) / Double(plan.eventLoops)))
        while moment(ofDue: due, schedule, rate: rate) < schedule.warmUpEnd { due += 1 }
    }

    private func countWhatWasNotSent(_ schedule: LoadSchedule) {
        guard let rate = plan.rate else { return }
        if schedule.end >= schedule.warmUpEnd { leaveWarmUpBehind(schedule, rate: rate) }
        while true {
            let moment = moment(ofDue: due, schedule, rate: rate)
            guard moment < schedule.end else { return }
            due += 1
            // It would have waited at least until now.
            counts.count(.notSent, intended: moment)
            counts.count(wait: schedule.end - moment, for: nextRequest(), intended: moment)
        }
    }

    // MARK: Connecting

    private func connect() -> EventLoopFuture<Void> {
        connecting += 1
        return ClientBootstrap(group: eventLoop)
            .connectTimeout(.nanoseconds(Int64(min(plan.timeoutSeconds, 5) * 1e9)))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [bound = bound] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LoadConnection(bound.value))
                }
            }
            .connect(host: plan.address.host, port: plan.address.port)
            .map { _ in }
            .always { [bound = bound] _ in
                let lane = bound.value
                lane.connecting -= 1
                if lane.isClosed, lane.connecting == 0 { lane.closed.succeed() }
            }
    }

    // A service that refuses connections is not to be flooded with them.
    private static let pause = TimeAmount.milliseconds(20)

    private func reconnect(after pause: TimeAmount) {
        eventLoop.scheduleTask(in: pause) { [bound = bound] in
            guard !bound.value.isOver else { return }
            bound.value.connect().whenFailure { error in
                let lane = bound.value
                lane.counts.count(.connect(LoadFailure.reason(error)), intended: Self.now)
                if !lane.isOver { lane.reconnect(after: Self.pause * 10) }
            }
        }
    }

    // MARK: Time

    private static var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    private var bound: NIOLoopBound<LoadLane> { NIOLoopBound(self, eventLoop: eventLoop) }

    private func endSeconds() {
        guard !hasFinished else { return }
        counts.advance(to: Self.now)
        // The last second is over only with the run, which may be a moment late.
        let next = max(counts.secondEnd, Self.now + 1_000_000)
        eventLoop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(next))) { [bound = bound] in
            bound.value.endSeconds()
        }
    }

    private func abandonLateOnes() {
        let latest = Self.now - Int64(plan.timeoutSeconds * 1e9)
        for connection in connections where (connection.flight?.sent ?? .max) < latest { connection.fail(.timeout) }
    }

    private func finishIfDone() {
        guard isOver, inFlight == 0, !hasFinished else { return }
        counts.finish()
        hasFinished = true
        task?.cancel()
        finished.succeed(counts.result)
    }
}
