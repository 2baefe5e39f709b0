/// What one event loop counted; the tallies of all of them add up to the result.
struct LoadTally: Sendable {
    /// The time from the moment a request was due to the end of its answer, in nanoseconds.
    ///
    /// In a closed loop that is the moment it was sent.
    var latency = Histogram()
    /// The time from the moment a request was sent to the end of its answer, in nanoseconds.
    var service = Histogram()
    /// Times for each kind of evidence: like ``latency`` in an open loop, like ``service`` in a closed one.
    var kinds: [Histogram]
    /// The same as ``fulfilled``, by kind of evidence.
    var fulfilledByKind: [Int]
    /// The time from the moment a request was due to its sending, if a connection was free throughout, in nanoseconds.
    var lateness = Histogram()
    /// Answers that brought every signature asked for.
    var fulfilled = 0
    /// All requests that were sent and ended, answered or given up.
    var ended = 0
    /// How long they took, all together, in nanoseconds.
    var spent: Int64 = 0
    /// The signatures in them.
    var signatures = 0
    /// All signatures, those of the warm-up too.
    var everySignature = 0
    /// All answers that brought what was asked for, those of the warm-up too.
    var everyRequest = 0
    /// What failed, by why.
    var failures: [LoadFailure: Int] = [:]
    /// The answers that were kept.
    var samples: [AnswerSample] = []
    /// When the last counted answer came, in nanoseconds of the monotonic clock.
    var lastAnswer: Int64 = 0

    /// Creates an empty tally.
    init(kinds: Int) {
        self.kinds = Array(repeating: Histogram(), count: kinds)
        fulfilledByKind = Array(repeating: 0, count: kinds)
    }

    /// Adds another tally of as many kinds.
    mutating func add(_ other: LoadTally) {
        latency.add(other.latency)
        service.add(other.service)
        lateness.add(other.lateness)
        for index in kinds.indices {
            kinds[index].add(other.kinds[index])
            fulfilledByKind[index] += other.fulfilledByKind[index]
        }
        fulfilled += other.fulfilled
        ended += other.ended
        spent += other.spent
        signatures += other.signatures
        everySignature += other.everySignature
        everyRequest += other.everyRequest
        failures.merge(other.failures, uniquingKeysWith: +)
        samples += other.samples
        lastAnswer = max(lastAnswer, other.lastAnswer)
    }
}

/// Why a request did not bring what was asked for: what failures are counted by.
package enum LoadFailure: Hashable, Sendable, CustomStringConvertible {
    /// The service answered with a fault: its status, and the `code` of its problem details.
    case status(Int, code: String)
    /// The service answered, and signed less than it was asked to: the first reason it gave.
    case notSigned(reason: String)
    /// No connection came about.
    case connect(String)
    /// The connection was closed while a request waited for its answer.
    case closed
    /// No answer came in time.
    case timeout
    /// No answer had come when the run was to be over at once.
    case unanswered
    /// What came was no answer.
    case malformed(String)
    /// The request was due, and no connection was free to send it before the end.
    case notSent

    /// The failure in a few words, such as `429 rate_limited`.
    package var description: String {
        switch self {
        case .status(let status, let code): code.isEmpty ? "\(status)" : "\(status) \(code)"
        case .notSigned(let reason): "not signed: \(reason)"
        case .connect(let reason): "connect: \(reason)"
        case .closed: "closed"
        case .timeout: "timeout"
        case .unanswered: "unanswered: the run was ended"
        case .malformed(let reason): "malformed answer: \(reason)"
        case .notSent: "not sent: no connection was free"
        }
    }
}

/// Keeps every answer, or a fair sample of a fixed size, however many answers there are.
struct SampleReservoir: Sendable {
    private(set) var samples: [AnswerSample] = []
    /// How many are kept; `nil` for all.
    private let capacity: Int?
    private var seen = 0
    private var random: SplitMix64

    /// Creates an empty reservoir.
    ///
    /// - Parameters:
    ///   - capacity: How many to keep; `nil` for all.
    ///   - seed: What its choices depend on.
    init(capacity: Int?, seed: UInt64) {
        self.capacity = capacity
        random = SplitMix64(seed: seed)
    }

    /// Offers an answer: each of all that were offered is kept with the same probability (Vitter's algorithm R).
    ///
    /// - Parameter sample: Makes the sample, and is called only when it is kept.
    mutating func offer(_ sample: () -> AnswerSample) {
        seen += 1
        guard let capacity, samples.count >= capacity else {
            samples.append(sample())
            return
        }
        let place = Int(random.next() % UInt64(seen))
        if place < capacity { samples[place] = sample() }
    }
}

/// An answer that was kept, so that its signatures can be checked when the clock has stopped.
package struct AnswerSample: Sendable {
    /// The request that was sent.
    let request: RequestDeck.Place
    /// The body of the answer.
    let body: [UInt8]
}

/// A generator of repeatable numbers, for choices that nothing secret depends on (Steele, Lea, Flood: SplitMix64).
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
