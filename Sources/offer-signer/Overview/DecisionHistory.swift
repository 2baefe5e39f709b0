import OfferAPI
import Offers
import PrometheusMetrics
import ServiceLifecycle
import Synchronization

/// How often offers were signed and refused within the last day, in steps of ten minutes: counts of this process alone, in
/// memory.
final class DecisionHistory: Service {
    static let stepSeconds: Int64 = 600
    /// How many steps are kept, the one under way not counted.
    static let mostSteps = 143

    struct Step {
        let startedAt: Timestamp
        var signed = 0
        /// By reason.
        var refused: [String: Int] = [:]
    }

    private struct State {
        var steps: [Step] = []
        var startedAt: Timestamp
        var counts: [Count: Int]
    }

    private struct Count: Hashable {
        let verdict: String
        let reason: String
    }

    private let telemetry: Telemetry
    private let state: Mutex<State>

    init(of telemetry: Telemetry) {
        self.telemetry = telemetry
        state = Mutex(State(startedAt: WallClock.now(), counts: Self.counts(of: telemetry)))
    }

    func run() async throws {
        while await Pause.isOver(after: .seconds(Self.stepSeconds)) { endStep() }
    }

    /// The oldest first, with the one under way.
    func look() -> [Step] {
        let counts = Self.counts(of: telemetry)
        return state.withLock { $0.steps + [Self.step(of: $0, counts)] }
    }

    private func endStep() {
        let counts = Self.counts(of: telemetry)
        let now = WallClock.now()
        state.withLock { state in
            state.steps.append(Self.step(of: state, counts))
            if state.steps.count > Self.mostSteps { state.steps.removeFirst() }
            state.startedAt = now
            state.counts = counts
        }
    }

    private static func step(of state: State, _ counts: [Count: Int]) -> Step {
        var step = Step(startedAt: state.startedAt)
        for (count, number) in counts {
            let difference = number - (state.counts[count] ?? 0)
            guard difference > 0 else { continue }
            if count.verdict == Verdict.eligible.rawValue {
                step.signed += difference
            } else {
                step.refused[count.reason] = difference
            }
        }
        return step
    }

    /// How often each reason was given to calls for signatures since the start.
    private static func counts(of telemetry: Telemetry) -> [Count: Int] {
        var counts: [Count: Int] = [:]
        for metric in telemetry.readings(where: { $0 == "offer_signer_decisions_total" }) {
            for (labels, value) in metric.series where labels["call"] == DecisionCall.signatures.rawValue {
                counts[Count(verdict: labels["verdict"] ?? "", reason: labels["reason"] ?? ""), default: 0] += Int(
                    value
                )
            }
        }
        return counts
    }
}
