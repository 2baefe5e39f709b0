/// What one event loop counted; the tallies of all of them add up to the result.
struct LoadTally: Sendable {
    /// From the moment a request was to be sent to the end of its answer, in nanoseconds.
    ///
    /// In a closed loop that is the moment it was sent.
    var latency = Histogram()
    /// From the moment a request was sent to the end of its answer, in nanoseconds.
    var service = Histogram()
    /// By kind of evidence the same as ``latency`` in an open loop, and as ``service`` in a closed one.
    var kinds: [Histogram]
    /// The same as ``fulfilled``, by kind of evidence.
    var fulfilledByKind: [Int]
    /// From the moment a request was due to its sending, where a connection was free all the time, in nanoseconds.
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
    ///
    /// - Parameter kinds: How many kinds of evidence there are.
    init(kinds: Int) {
        self.kinds = Array(repeating: Histogram(), count: kinds)
        fulfilledByKind = Array(repeating: 0, count: kinds)
    }

    /// Adds another tally of as many kinds.
    ///
    /// - Parameter other: The other one.
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
