/// What a run measured.
public struct LoadMeasurement: Sendable {
    /// What was planned.
    public let plan: LoadPlan
    /// What was counted.
    let tally: LoadTally
    /// Second by second, the warm-up's too.
    public let seconds: [LoadSecond]
    /// How long requests were sent before that, in seconds: less than was planned where the run was ended meanwhile.
    let warmUpSeconds: Double
    /// How long was measured, in seconds: the time in which requests were sent.
    public let elapsedSeconds: Double
    /// How much longer it took until the last of their answers was there, in seconds.
    public let tailSeconds: Double
    /// The CPU time of the generator itself, warm-up included, in seconds.
    public let generatorProcessorSeconds: Double
    /// The same ÷ the time that its event loops had while they sent, at most 1.
    public let generatorShare: Double
    /// What the service used meanwhile, warm-up included; `nil` where its process is not known.
    let service: ProcessUsage?

    /// How many requests brought every signature asked for.
    public var fulfilled: Int { tally.fulfilled }

    /// How many failed, by why.
    public var failures: [LoadFailure: Int] { tally.failures }

    /// The answers that were kept, for their signatures to be checked.
    public var samples: [AnswerSample] { tally.samples }

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
