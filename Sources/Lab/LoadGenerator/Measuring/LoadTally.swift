/// What one event loop counted; the tallies of all of them add up to the result.
struct LoadTally: Sendable {
    /// From the moment a request was due, in a closed loop from its sending, to the end of its answer, in nanoseconds.
    var latency = Histogram()
    /// From the sending of a request to the end of its answer, in nanoseconds.
    var service = Histogram()
    /// Times for each kind of evidence: like ``latency`` in an open loop, like ``service`` in a closed one.
    var kinds: [Histogram]
    var fulfilledByKind: [Int]
    /// How late requests were sent though a connection was free, in nanoseconds.
    var lateness = Histogram()
    /// Answers that brought every signature asked for.
    var fulfilled = 0
    /// All requests that were sent and ended, answered or given up.
    var ended = 0
    /// How long they took, all together, in nanoseconds.
    var spent: Int64 = 0
    var signatures = 0
    /// All signatures, those of the warm-up too.
    var everySignature = 0
    /// All answers that brought what was asked for, those of the warm-up too.
    var everyRequest = 0
    var failures: [LoadFailure: Int] = [:]
    var samples: [AnswerSample] = []
    /// When the last counted answer came, in nanoseconds of the monotonic clock.
    var lastAnswer: Int64 = 0

    init(kinds: Int) {
        self.kinds = Array(repeating: Histogram(), count: kinds)
        fulfilledByKind = Array(repeating: 0, count: kinds)
    }

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

/// The reason why a request did not bring what was asked for; failures are counted by it.
package enum LoadFailure: Hashable, Sendable, CustomStringConvertible {
    /// The service answered with a fault: its status, and the `code` of its problem details.
    case status(Int, code: String)
    /// The service answered, and signed less than it was asked to: the first reason it gave.
    case notSigned(reason: String)
    case connect(String)
    case closed
    case timeout
    /// No answer had come when the run was to be over at once.
    case unanswered
    case malformed(String)
    case notSent

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

    init(capacity: Int?, seed: UInt64) {
        self.capacity = capacity
        random = SplitMix64(seed: seed)
    }

    /// Offers an answer: each of all that were offered is kept with the same probability (Vitter's algorithm R).
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
    let request: RequestDeck.Place
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
