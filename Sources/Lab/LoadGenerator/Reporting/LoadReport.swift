internal import FoundationEssentials

/// The result of a run, as `--json` prints it.
///
/// Times are in milliseconds unless a name says otherwise.
package struct LoadReport: Codable, Equatable, Sendable {
    package let url: String
    /// `closed`: each connection sends when its last answer is there.
    ///
    /// `open`: requests are sent at a rate.
    package let loop: String
    package let connections: Int
    /// The requests to be sent a second, in an open loop.
    package let rate: Double?
    /// How long was measured, in seconds: the time in which requests were sent.
    package let seconds: Double
    /// How much longer it took until the last of their answers was there, in seconds.
    package let tailSeconds: Double
    package let warmUpSeconds: Double
    package let offersPerRequest: Int
    /// The requests, a line for each kind of evidence.
    package let asked: [String]
    /// The requests that brought every signature asked for, or, where one customer's evidence is shown for ever more
    /// accounts, that refusal.
    package let requests: Int
    /// A second of the time in which they were sent: in a closed loop at most one a connection more than were answered
    /// meanwhile.
    package let requestsPerSecond: Double
    package let signatures: Int
    package let signaturesPerSecond: Double
    package let errors: [String: Int]
    /// Latencies as they were measured, from sending to the end of the answer; absent where nothing was signed.
    package let measured: LatencySummary?
    /// Latencies corrected for coordinated omission; absent where nothing was signed, and nothing waited in vain.
    package let corrected: LatencySummary?
    package let correction: String
    /// Requests and latencies of each kind of evidence: as ``measured`` in a closed loop, as ``corrected`` in an open one.
    ///
    /// In an open loop, a request that was not answered in time or not sent counts with the time that it waited.
    package let kinds: [String: Kind]
    /// Warm-up included.
    package let generatorProcessorSeconds: Double
    /// The same ÷ the time that the generator's event loops had, at most 1: near 1 it is the generator that is measured.
    package let generatorShare: Double
    /// How late requests were sent though a connection was free, in an open loop: the generator's own part of
    /// ``corrected``; absent where none was.
    package let generatorLateness: LatencySummary?
    /// The service's CPU time per signature, warm-up included, in microseconds; absent where its process is not known.
    package let serviceMicrosecondsPerSignature: Double?
    /// The same per request, for evidence that is shown for ever more accounts and refused.
    package let serviceMicrosecondsPerRequest: Double?
    /// Warm-up included.
    package let serviceProcessorSeconds: Double?
    /// The most resident memory that the service had so far, in megabytes of 10⁶ bytes.
    package let servicePeakMegabytes: Double?
    /// Absent where there was no public key.
    package let verification: SignatureChecker.Outcome?

    package struct Kind: Codable, Equatable, Sendable {
        package let requests: Int
        package let latency: LatencySummary?
    }

    package init(_ measurement: LoadMeasurement, verification: SignatureChecker.Outcome?) {
        let (plan, tally) = (measurement.plan, measurement.tally)
        url = plan.address.description
        loop = plan.rate == nil ? "closed" : "open"
        connections = plan.connections
        rate = plan.rate
        seconds = (measurement.elapsedSeconds * 1000).rounded() / 1000
        tailSeconds = (measurement.tailSeconds * 1000).rounded() / 1000
        warmUpSeconds = (measurement.warmUpSeconds * 1000).rounded() / 1000
        offersPerRequest = plan.deck.offersPerRequest
        asked = plan.deck.descriptions
        requests = tally.fulfilled
        signatures = tally.signatures
        let elapsed = measurement.elapsedSeconds
        func perSecond(_ number: Int) -> Double { elapsed > 0 ? (Double(number) / elapsed * 10).rounded() / 10 : 0 }
        requestsPerSecond = perSecond(tally.fulfilled)
        signaturesPerSecond = perSecond(tally.signatures)
        errors = Dictionary(tally.failures.map { ($0.description, $1) }, uniquingKeysWith: +)
        measured = LatencySummary(tally.service)
        if plan.rate == nil {
            let interval = measurement.closedLoopInterval
            corrected = LatencySummary(tally.latency.corrected(forInterval: interval))
            let milliseconds = Double(interval / 1000) / 1000
            correction = "by \(milliseconds) ms, the mean time between two requests of a connection"
        } else {
            corrected = LatencySummary(tally.latency)
            correction = "from the moment at which a request was due"
        }
        kinds = Dictionary(
            plan.deck.kinds.enumerated().map { index, name in
                (name, Kind(requests: tally.fulfilledByKind[index], latency: LatencySummary(tally.kinds[index])))
            },
            uniquingKeysWith: { first, _ in first }
        )
        generatorProcessorSeconds = (measurement.generatorProcessorSeconds * 1000).rounded() / 1000
        generatorShare = (measurement.generatorShare * 1000).rounded() / 1000
        generatorLateness = plan.rate == nil ? nil : LatencySummary(tally.lateness)
        func rounded(_ value: Double?, _ scale: Double) -> Double? { value.map { ($0 * scale).rounded() / scale } }
        serviceMicrosecondsPerSignature = rounded(measurement.serviceMicrosecondsPerSignature, 100)
        serviceMicrosecondsPerRequest = rounded(measurement.serviceMicrosecondsPerRequest, 100)
        serviceProcessorSeconds = rounded(measurement.service?.processorSeconds, 1000)
        servicePeakMegabytes = rounded((measurement.service?.peakBytes).map { Double($0) / 1e6 }, 10)
        self.verification = verification
    }

    /// Whether something was signed, and no signature was wrong.
    package var isSuccess: Bool { requests > 0 && verification?.wrong ?? 0 == 0 }

    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

/// The latencies of a run in milliseconds.
package struct LatencySummary: Codable, Equatable, Sendable {
    package let p50, p90, p99, p999: Double
    package let max: Double
    package let mean: Double

    private enum CodingKeys: String, CodingKey {
        case p50, p90, p99, max, mean
        case p999 = "p99.9"
    }

    /// A histogram without values gives `nil`: no time at all would look like the best.
    init?(_ histogram: Histogram) {
        guard histogram.count > 0 else { return nil }
        func milliseconds(_ nanoseconds: Int64) -> Double { (Double(nanoseconds) / 1000).rounded() / 1000 }
        p50 = milliseconds(histogram.value(atPercentile: 50))
        p90 = milliseconds(histogram.value(atPercentile: 90))
        p99 = milliseconds(histogram.value(atPercentile: 99))
        p999 = milliseconds(histogram.value(atPercentile: 99.9))
        max = milliseconds(histogram.maximum)
        mean = milliseconds(Int64(histogram.mean))
    }

    /// The values in the order of a table's columns: p50, p90, p99, p99.9, max, mean.
    var columns: [Double] { [p50, p90, p99, p999, max, mean] }
}
