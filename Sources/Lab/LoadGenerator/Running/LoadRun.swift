import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Generates load as planned, and measures what comes back.
package final class LoadRun: Sendable {
    private let plan: LoadPlan
    private let lanes = Mutex<[NIOLoopBound<LoadLane>]>([])
    private let stopMoment = Mutex<Int64?>(nil)

    package init(_ plan: LoadPlan) { self.plan = plan }

    /// Runs to the end; `report` is called once a second, on one of the event loops.
    package func run(
        report: @escaping @Sendable (LoadSecond) -> Void = { _ in }
    ) async throws(LoadFault) -> LoadMeasurement {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: plan.eventLoops)
        defer { close(group) }
        let plan = plan
        let collector = SecondsCollector(lanes: plan.eventLoops, report: report)
        do {
            for (number, eventLoop) in group.makeIterator().prefix(plan.eventLoops).enumerated() {
                let lane = try await eventLoop.submit {
                    NIOLoopBound(
                        LoadLane(number, of: plan, on: eventLoop, collector: collector),
                        eventLoop: eventLoop
                    )
                }.get()
                self.lanes.withLock { $0.append(lane) }
            }
            let lanes = self.lanes.withLock(\.self)
            for lane in lanes { try await lane.eventLoop.flatSubmit { lane.value.open() }.get() }
            let start = Int64(NIODeadline.now().uptimeNanoseconds) + 5_000_000
            let warmUpEnd = start + Int64(plan.warmUpSeconds * 1e9)
            let schedule = LoadSchedule(
                start: start,
                warmUpEnd: warmUpEnd,
                end: warmUpEnd + Int64(plan.durationSeconds * 1e9)
            )
            let processorTime = Self.processorSeconds
            let before = ProcessUsage(of: plan.processes)
            for lane in lanes {
                lane.eventLoop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(start))) { lane.value.begin(schedule) }
            }
            if stopMoment.withLock(\.self) != nil { stop() }
            var tally = LoadTally(kinds: plan.deck.kinds.count)
            for lane in lanes { tally.add(try await lane.eventLoop.flatSubmit { lane.value.result }.get()) }
            let end = min(schedule.end, stopMoment.withLock(\.self) ?? .max)
            let processorSeconds = Self.processorSeconds - processorTime
            let available = Double(max(end - start, 1)) / 1e9 * Double(plan.eventLoops)
            return LoadMeasurement(
                plan: plan,
                tally: tally,
                seconds: collector.complete,
                warmUpSeconds: max(Double(min(end, warmUpEnd) - start) / 1e9, 0),
                elapsedSeconds: max(Double(end - warmUpEnd) / 1e9, 0),
                tailSeconds: max(Double(tally.lastAnswer - end) / 1e9, 0),
                generatorProcessorSeconds: processorSeconds,
                generatorShare: min(processorSeconds / available, 1),
                service: before.flatMap { before in ProcessUsage(of: plan.processes)?.since(before) }
            )
        } catch {
            throw LoadFault("\(plan.address): \(LoadFailure.reason(error))")
        }
    }

    /// Ends the run as soon as the requests that were sent are answered; what was measured so far is its result.
    package func stop() {
        let now = Int64(NIODeadline.now().uptimeNanoseconds)
        stopMoment.withLock { $0 = $0 ?? now }
        forEachLane { $0.end(at: now) }
    }

    /// Ends the run without its last answers: the requests that wait for theirs count as failed.
    package func abandon() {
        stop()
        forEachLane { $0.abandon() }
    }

    /// Does something to each lane on its event loop, unless the run is over.
    private func forEachLane(_ action: @escaping @Sendable (LoadLane) -> Void) {
        // The loops do not go meanwhile: they are closed by the owner of the lanes.
        lanes.withLock { lanes in
            for lane in lanes { lane.eventLoop.execute { action(lane.value) } }
        }
    }

    /// Lets the event loops go as soon as nothing needs them: a host's name that is being looked up is found on a thread of
    /// its own, which then comes back to its loop.
    private func close(_ group: MultiThreadedEventLoopGroup) {
        let lanes = lanes.withLock { lanes in
            defer { lanes = [] }
            return lanes
        }
        let closed = lanes.map { lane in lane.eventLoop.flatSubmit { lane.value.close() } }
        EventLoopFuture.andAllComplete(closed, on: group.next()).whenComplete { _ in group.shutdownGracefully { _ in } }
    }

    /// The CPU time of this process so far, in seconds.
    private static var processorSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
