import Offers
import Synchronization

/// Tells whoever wants to know how long commits take.
final class CommitObserver: Sendable {
    private let observe = Mutex<(@Sendable (Duration, Int) -> Void)?>(nil)

    func observe(_ observe: @escaping @Sendable (Duration, Int) -> Void) {
        self.observe.withLock { $0 = observe }
    }

    func note(_ entries: [LedgerEntry], _ outcomes: [[GrantOutcome]], _ duration: Duration) {
        guard let observe = observe.withLock({ $0 }) else { return }
        let grants = zip(entries, outcomes).flatMap { zip($0.grants, $1) }
        let records = grants.reduce(0) { $1.1 == .recorded ? $0 + $1.0.signatures.count : $0 }
        observe(duration, records)
    }
}
