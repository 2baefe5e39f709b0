import NIOCore
import StrictJSON

/// The counts of a lane: of the whole run, and of the current second.
struct LaneCounts {
    private let plan: LoadPlan
    private let collector: SecondsCollector
    private var tally: LoadTally
    private var reservoir: SampleReservoir
    /// `nil` before the run.
    private var schedule: LoadSchedule?
    private var hasEnded = false
    private var second = LoadSecond(index: 0, isWarmUp: true)
    /// When the second that runs is over, in nanoseconds of the monotonic clock.
    private(set) var secondEnd = Int64.max

    init(_ plan: LoadPlan, lane number: Int, collector: SecondsCollector) {
        self.plan = plan
        self.collector = collector
        tally = LoadTally(kinds: plan.deck.kinds.count)
        let share = plan.keptAnswers.map { max(1, $0 / plan.eventLoops) }
        reservoir = SampleReservoir(capacity: share, seed: UInt64(number))
    }

    var result: LoadTally {
        var tally = tally
        tally.samples = reservoir.samples
        return tally
    }

    mutating func begin(_ schedule: LoadSchedule) {
        self.schedule = schedule
        second.isWarmUp = schedule.isWarmUp(second: 0)
        secondEnd = schedule.begin(ofSecond: 1)
    }

    mutating func end(_ schedule: LoadSchedule) {
        self.schedule = schedule
        hasEnded = true
    }

    /// Hands over the second that runs, as far as it went: nothing more comes.
    mutating func finish() {
        guard let schedule else { return }
        // After the end, a second in which nothing came is none.
        let isLast = schedule.begin(ofSecond: second.index) < schedule.end || second.hasContent
        if isLast { collector.add(second) }
        collector.finish(after: isLast ? second.index : second.index - 1)
    }

    /// Hands over the seconds that are past.
    mutating func advance(to now: Int64) {
        // Counts at the end belong to the last second, which is not over before.
        while now >= secondEnd, let schedule, hasEnded || secondEnd < schedule.end {
            collector.add(second)
            let index = second.index + 1
            second.latency.reset()
            second = LoadSecond(
                index: index,
                isWarmUp: schedule.isWarmUp(second: index),
                latency: second.latency
            )
            secondEnd = schedule.begin(ofSecond: index + 1)
        }
    }

    mutating func count(_ answer: AnswerReader.Answer, of flight: LoadConnection.Flight, at now: Int64) {
        let signatures = answer.status == 200 ? answer.body.occurrences(ofMember: plan.deck.signatureMember) : 0
        let isSigned = answer.status == 200 && signatures >= plan.deck.offersPerRequest
        let failure = isSigned ? nil : FaultyAnswer.failure(of: answer)
        let isFulfilled = isSigned || plan.deck.isShared && failure == .notSigned(reason: "evidence_shared")
        let latency = now - flight.intended
        tally.everySignature += signatures
        if isFulfilled { tally.everyRequest += 1 }
        advance(to: now)
        if isInSecond(flight.intended) {
            second.signatures += signatures
            if isFulfilled {
                second.fulfilled += 1
                second.latency.record(latency)
            }
        }
        if isMeasured(flight.intended) {
            end(flight, at: now)
            tally.signatures += signatures
            tally.lastAnswer = now
            if isFulfilled {
                tally.fulfilled += 1
                tally.latency.record(latency)
                tally.service.record(now - flight.sent)
                tally.kinds[flight.request.kind].record(latency)
                tally.fulfilledByKind[flight.request.kind] += 1
            }
            if signatures > 0 {
                reservoir.offer { AnswerSample(request: flight.request, body: Array(answer.body.readableBytesView)) }
            }
        }
        if let failure, !isFulfilled { count(failure, intended: flight.intended) }
        plan.answered?(
            AnswerLine.make(answer, failure, to: plan.deck.expected(flight.request), after: now - flight.sent)
        )
    }

    /// Counts a request that was sent and not answered.
    mutating func count(_ failure: LoadFailure, of flight: LoadConnection.Flight, at now: Int64) {
        advance(to: now)
        if isMeasured(flight.intended) { end(flight, at: now) }
        count(failure, intended: flight.intended)
        plan.answered?(AnswerLine.make(nil, failure, to: plan.deck.expected(flight.request), after: now - flight.sent))
        guard failure == .timeout || failure == .unanswered else { return }
        count(wait: now - flight.intended, for: flight.request, intended: flight.intended)
    }

    mutating func count(lateness: Int64, intended: Int64) {
        if isMeasured(intended) { tally.lateness.record(lateness) }
    }

    mutating func count(_ failure: LoadFailure, intended: Int64) {
        if isInSecond(intended) { second.failed += 1 }
        guard isMeasured(intended) else { return }
        tally.failures[failure, default: 0] += 1
    }

    /// Counts how long a request that came to nothing waited at least as its latency.
    mutating func count(wait: Int64, for request: RequestDeck.Place, intended: Int64) {
        guard isMeasured(intended) else { return }
        tally.latency.record(wait)
        // In a closed loop, kinds are reported as measured.
        if plan.rate != nil { tally.kinds[request.kind].record(wait) }
    }

    private mutating func end(_ flight: LoadConnection.Flight, at now: Int64) {
        tally.ended += 1
        tally.spent += now - flight.sent
    }

    private func isMeasured(_ intended: Int64) -> Bool { schedule?.isMeasured(intended) ?? false }

    /// A request of the warm-up that ended after it is in no second: the measured ones add up to the result.
    private func isInSecond(_ intended: Int64) -> Bool { second.isWarmUp || isMeasured(intended) }
}

/// The failure that an answer counts as, where it is not what was asked for.
enum FaultyAnswer {
    static func failure(of answer: AnswerReader.Answer) -> LoadFailure {
        let body = Array(answer.body.readableBytesView)
        guard answer.status == 200 else {
            return .status(answer.status, code: Problem(json: body).code)
        }
        if let shown = RetentionAnswer(json: body) { return .notSigned(reason: shown.kind.rawValue) }
        guard let decisions = try? SignedAnswer(json: body).decisions else { return .malformed("no decisions") }
        return .notSigned(reason: decisions.first { $0.discount == nil }?.reason ?? "too few decisions")
    }
}
