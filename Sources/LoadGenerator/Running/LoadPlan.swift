/// The plan of a run: the requests, how often and for how long.
package struct LoadPlan: Sendable {
    /// The service's address.
    package var address: ServiceAddress
    /// How many connections there are, 1 or more.
    package var connections = 16
    /// How many event loops send, 1 or more.
    ///
    /// One is enough for most services, and leaves them the CPUs.
    package var eventLoops = 1
    /// How many requests are sent a second, whatever the service does: an open loop.
    ///
    /// `nil` for a closed loop, in which each connection sends its next request when the answer to the last one is
    /// there.
    package var rate: Double?
    /// How long requests are sent before anything is measured, in seconds.
    package var warmUpSeconds = 2.0
    /// How long is measured, in seconds.
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
    /// The requests, and in which order they are sent.
    package var deck: RequestDeck

    /// Creates a plan with the defaults.
    ///
    /// - Parameters:
    ///   - deck: The requests.
    ///   - address: Where the service listens.
    package init(_ deck: RequestDeck, to address: ServiceAddress) {
        self.deck = deck
        self.address = address
    }
}

/// The moments of a run, in nanoseconds of the monotonic clock.
struct LoadSchedule {
    /// When the first request is sent.
    let start: Int64
    /// When what is measured begins.
    let warmUpEnd: Int64
    /// When the last request is sent.
    var end: Int64

    private static let second: Int64 = 1_000_000_000

    /// When a second begins, counted from 0.
    ///
    /// The warm-up and what is measured each begin with a whole one, so that none belongs to both.
    ///
    /// - Parameter index: The second.
    /// - Returns: The moment.
    func begin(ofSecond index: Int) -> Int64 {
        index < secondsOfWarmUp
            ? start + Int64(index) * Self.second : warmUpEnd + Int64(index - secondsOfWarmUp) * Self.second
    }

    /// Whether a second belongs to the warm-up.
    ///
    /// - Parameter index: The second.
    /// - Returns: `false` for those that are measured.
    func isWarmUp(second index: Int) -> Bool { index < secondsOfWarmUp }

    /// Whether a request is measured: one that was to be sent in the time is, however late its answer.
    ///
    /// - Parameter intended: When it was to be sent.
    /// - Returns: `false` for one of the warm-up.
    func isMeasured(_ intended: Int64) -> Bool { intended >= warmUpEnd && intended < end }

    private var secondsOfWarmUp: Int { Int((warmUpEnd - start + Self.second - 1) / Self.second) }
}

/// The measurement of a run.
package struct LoadMeasurement: Sendable {
    /// The plan of the run.
    package let plan: LoadPlan
    /// The counts of the run.
    let tally: LoadTally
    /// Second by second, the warm-up's too.
    package let seconds: [LoadSecond]
    /// How long requests were sent before that, in seconds: less than was planned where the run was ended meanwhile.
    let warmUpSeconds: Double
    /// How long was measured, in seconds: the time in which requests were sent.
    package let elapsedSeconds: Double
    /// How much longer it took until the last of their answers was there, in seconds.
    package let tailSeconds: Double
    /// The CPU time of the generator itself, warm-up included, in seconds.
    package let generatorProcessorSeconds: Double
    /// The same ÷ the time that its event loops had while they sent, at most 1.
    package let generatorShare: Double
    /// The service's usage meanwhile, warm-up included; `nil` if its process is not known.
    let service: ProcessUsage?

    /// How many requests brought every signature asked for.
    package var fulfilled: Int { tally.fulfilled }

    /// How many failed, by why.
    package var failures: [LoadFailure: Int] { tally.failures }

    /// The answers that were kept, for their signatures to be checked.
    package var samples: [AnswerSample] { tally.samples }

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
