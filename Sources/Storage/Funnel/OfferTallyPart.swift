import Offers
import Synchronization

/// Counts the decisions of one thread for a ``DurableOfferTally``, which gathers them.
final class OfferTallyPart: OfferTally {
    private let counts = Mutex<[CountedDecision: Int]>([:])

    func count(_ decision: CountedDecision) {
        counts.withLock { $0[decision, default: 0] += 1 }
    }

    /// Takes out what was counted since the last time.
    func take() -> [CountedDecision: Int] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }

    /// Puts back what could not be kept.
    func putBack(_ taken: [CountedDecision: Int]) {
        counts.withLock { $0.merge(taken, uniquingKeysWith: +) }
    }
}
