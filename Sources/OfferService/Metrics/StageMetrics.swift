import CoreMetrics
package import Glibc

/// The time that requests spend in each stage.
@usableFromInline
package final class StageMetrics: Sendable {
    private let timers: [Timer]

    init(factory: any MetricsFactory) {
        timers = Stage.allCases.map {
            Timer(label: "offer_signer_room_duration_seconds", dimensions: [("room", $0.rawValue)], factory: factory)
        }
    }

    @usableFromInline
    package func record(_ nanoseconds: Int64, in stage: Stage) {
        timers[stage.index].recordNanoseconds(nanoseconds)
    }

    /// Records how long the work takes, even when it fails.
    @inlinable
    package func measure<Result, Failure: Error>(
        _ stage: Stage,
        _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let watch = Stopwatch()
        defer { record(watch.nanoseconds, in: stage) }
        return try work()
    }
}

extension Stage {
    fileprivate var index: Int {
        switch self {
        case .decode: 0
        case .evidence: 1
        case .decision: 2
        case .signature: 3
        case .ledger: 4
        case .encode: 5
        }
    }
}

/// The stages that a request for signatures goes through, one after another: where its time is spent.
@usableFromInline
package enum Stage: String, CaseIterable, Sendable {
    /// Reading the body; once a request.
    case decode
    /// Reading the evidence, or asking the App Store; once a request.
    case evidence
    /// Deciding; once an offer.
    case decision
    /// Signing; once an offer that is signed.
    case signature
    /// Waiting until the ledger has it; once a request.
    case ledger
    /// Writing the answer; once a request.
    case encode
}

/// Measures a time that passes, by a clock that nobody can set.
@usableFromInline
package struct Stopwatch: Sendable {
    private let start: Int64

    @usableFromInline
    package init() {
        start = Self.now
    }

    @usableFromInline
    package var nanoseconds: Int64 { Self.now - start }

    private static var now: Int64 { MachineClock.nanoseconds(of: CLOCK_MONOTONIC) }
}

/// The machine's clocks.
package enum MachineClock {
    /// The reading of a clock (clock_gettime(2)).
    package static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
