/// The plan of a run: the requests, how often and for how long.
package struct LoadPlan: Sendable {
    package var address: ServiceAddress
    package var connections = 16
    /// One is enough for most services, and leaves them the CPUs.
    package var eventLoops = 1
    /// Requests a second, whatever the service does: an open loop.
    ///
    /// `nil` for a closed loop, in which each connection sends its next request when the last answer is there.
    package var rate: Double?
    package var warmUpSeconds = 2.0
    package var durationSeconds = 10.0
    /// How long an answer may take, in seconds, before its connection is given up.
    package var timeoutSeconds = 10.0
    /// How many answers are kept, so that their signatures can be checked; `nil` for all.
    package var keptAnswers: Int? = 1000
    /// How many requests in a row are of one customer, 1 or more.
    package var repeats = 1
    /// Called with each answer as it comes, and each request that got none: a line of JSON with its end, on one of the event
    /// loops.
    package var answered: (@Sendable (_ line: [UInt8]) -> Void)?
    /// The service's processes on this machine, if their CPU time and memory are to be measured.
    package var processes: [Int32] = []
    package var deck: RequestDeck

    package init(_ deck: RequestDeck, to address: ServiceAddress) {
        self.deck = deck
        self.address = address
    }
}

/// The moments of a run, in nanoseconds of the monotonic clock.
struct LoadSchedule {
    let start: Int64
    let warmUpEnd: Int64
    var end: Int64

    private static let second: Int64 = 1_000_000_000

    /// When a second begins, counted from 0.
    ///
    /// Warm-up and measurement each begin with a whole one, so that none belongs to both.
    func begin(ofSecond index: Int) -> Int64 {
        index < secondsOfWarmUp
            ? start + Int64(index) * Self.second : warmUpEnd + Int64(index - secondsOfWarmUp) * Self.second
    }

    func isWarmUp(second index: Int) -> Bool { index < secondsOfWarmUp }

    /// Whether a request is measured: one that was to be sent in the time is, however late its answer.
    func isMeasured(_ intended: Int64) -> Bool { intended >= warmUpEnd && intended < end }

    private var secondsOfWarmUp: Int { Int((warmUpEnd - start + Self.second - 1) / Self.second) }
}

package struct LoadMeasurement: Sendable {
    package let plan: LoadPlan
    let tally: LoadTally
    /// Second by second, the warm-up's too.
    package let seconds: [LoadSecond]
    /// Less than was planned where the run was ended meanwhile.
    let warmUpSeconds: Double
    /// The time in which requests were sent.
    package let elapsedSeconds: Double
    /// The time from then to the last of their answers.
    package let tailSeconds: Double
    /// Warm-up included.
    package let generatorProcessorSeconds: Double
    /// The same ÷ the time that the generator's event loops had while they sent, at most 1.
    package let generatorShare: Double
    /// The service's usage meanwhile, warm-up included; `nil` if its process is not known.
    let service: ProcessUsage?

    /// The service's CPU time per signature, warm-up included, in microseconds; `nil` where refusals are waited for.
    var serviceMicrosecondsPerSignature: Double? {
        guard let service, tally.everySignature > 0, !plan.deck.isShared else { return nil }
        return service.processorSeconds * 1e6 / Double(tally.everySignature)
    }

    /// The service's CPU time per request that brought what was asked for, warm-up included, in microseconds.
    var serviceMicrosecondsPerRequest: Double? {
        guard let service, tally.everyRequest > 0 else { return nil }
        return service.processorSeconds * 1e6 / Double(tally.everyRequest)
    }

    /// The time between two requests of one connection, in nanoseconds: what a closed loop is corrected by.
    ///
    /// In a run that is short against its answers, the requests took longer than the time in which they were sent.
    var closedLoopInterval: Int64 {
        guard tally.ended > 0 else { return 0 }
        return Int64(max(elapsedSeconds * 1e9 * Double(plan.connections), Double(tally.spent)) / Double(tally.ended))
    }
}
