import OfferAPI
import Offers
import ServiceLifecycle
import Synchronization

/// Counts signed and refused offers of the last day, in steps of ten minutes: of this process alone, in memory.
final class DecisionHistory: OfferTally, Service {
    static let stepSeconds: Int64 = 600
    /// How many steps are kept, the one under way not counted.
    static let mostSteps = 143

    struct Step {
        let startedAt: Timestamp
        var signed = 0
        var refused: [Reason: Int] = [:]
    }

    private let next: any OfferTally
    private let steps = Mutex([Step(startedAt: WallClock.now())])

    /// Hands each decision on to the next tally.
    init(before next: any OfferTally) { self.next = next }

    func count(_ decision: CountedDecision) {
        if decision.call == .signatures {
            steps.withLock { steps in
                let last = steps.count - 1
                if decision.reason.verdict == .eligible {
                    steps[last].signed += 1
                } else {
                    steps[last].refused[decision.reason, default: 0] += 1
                }
            }
        }
        next.count(decision)
    }

    func run() async throws {
        while await Pause.isOver(after: .seconds(Self.stepSeconds)) {
            let now = WallClock.now()
            steps.withLock { steps in
                steps.append(Step(startedAt: now))
                if steps.count > Self.mostSteps + 1 { steps.removeFirst() }
            }
        }
    }

    /// The oldest first, with the one under way.
    func snapshot() -> [Step] { steps.withLock { $0 } }
}
