/// Which answers are kept: each, or a fair sample of a fixed size whatever the number of answers.
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
public struct AnswerSample: Sendable {
    /// What was asked.
    let request: RequestDeck.Place
    /// The body of the answer.
    let body: [UInt8]
}
