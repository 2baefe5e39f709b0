import Offers
import Synchronization

/// Reports how long each commit took, and how many records it wrote.
final class CommitObserver: Sendable {
    /// A function in a value of its own: by itself it would be wrapped once more at each look at what the mutex guards,
    /// which is generic, and the wrappings would pile up.
    private struct Observer {
        let report: @Sendable (Duration, Int) -> Void
    }

    private let observer = Mutex<Observer?>(nil)

    func observe(_ observe: @escaping @Sendable (Duration, Int) -> Void) {
        observer.withLock { $0 = Observer(report: observe) }
    }

    func note(_ entries: [LedgerEntry], _ outcomes: [[GrantOutcome]], _ duration: Duration) {
        guard let observer = observer.withLock({ $0 }) else { return }
        var records = 0
        // By their places: an entry or a grant that is taken out is copied, with all that it refers to.
        for index in 0..<min(entries.count, outcomes.count) {
            for place in 0..<min(entries[index].grants.count, outcomes[index].count)
            where outcomes[index][place] == .recorded {
                records += entries[index].grants[place].signatures.count
            }
        }
        observer.report(duration, records)
    }
}
