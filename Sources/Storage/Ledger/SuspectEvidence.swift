import Offers
import Synchronization

/// The subscriptions whose evidence was lately refused to somebody, as too many customers have shown it: the
/// next request with it is looked up before anything is signed or written.
///
/// It says only where to look: what counts is in the database.
final class SuspectEvidence: Sendable {
    /// How many are known; with one more, all are forgotten, and found out anew when they are refused the next time.
    private static let most = 4096

    /// For how long one is known: then one more refusal is decided in a commit, which notes it anew.
    private let lifetime: Duration
    private let known = Mutex<[PresentedSubscription: ContinuousClock.Instant]>([:])
    private let isEmpty = Atomic(true)

    init(lifetime: Duration = .seconds(3600)) { self.lifetime = lifetime }

    func add(_ entries: [LedgerEntry], _ outcomes: [[GrantOutcome]?]) {
        for index in 0..<min(entries.count, outcomes.count) {
            guard let outcomes = outcomes[index] else { continue }
            for place in 0..<min(entries[index].grants.count, outcomes.count) {
                guard case .evidenceShared = outcomes[place],
                    let subscription = entries[index].subscriptions(of: entries[index].grants[place]).first
                else { continue }
                known.withLock { known in
                    if known.count >= Self.most { known.removeAll() }
                    known[subscription] = .now
                }
                isEmpty.store(false, ordering: .releasing)
            }
        }
    }

    func contains(_ subscription: @autoclosure () -> PresentedSubscription) -> Bool {
        // Mostly there are none.
        guard !isEmpty.load(ordering: .acquiring) else { return false }
        let subscription = subscription()
        return known.withLock { $0[subscription] }.map { $0.duration(to: .now) < lifetime } ?? false
    }
}

/// A subscription as it is presented in evidence.
package struct PresentedSubscription: Hashable {
    let bundleId: String
    /// The environment; empty where the evidence does not say.
    let environment: String
    let originalTransactionId: String

    /// A subscription under each of its identifiers.
    fileprivate static func all(
        _ ids: [String],
        of bundleId: String,
        _ environment: AppStoreEnvironment?
    ) -> [PresentedSubscription] {
        ids.map { Self(bundleId: bundleId, environment: environment?.rawValue ?? "", originalTransactionId: $0) }
    }
}

extension LedgerEntry {
    /// The subscription that decided about a grant, under each of its identifiers, the first one first; none where none
    /// did.
    func subscriptions(of grant: OfferGrant) -> [PresentedSubscription] {
        guard let id = grant.originalTransactionId else { return [] }
        return PresentedSubscription.all([id] + grant.otherIds, of: bundleId, environment)
    }
}

extension LedgerQuestion {
    /// A subscription that is asked about, under each of its identifiers, the first one first.
    func subscriptions(_ originalTransactionId: String) -> [PresentedSubscription] {
        let others = otherIds[originalTransactionId] ?? []
        return PresentedSubscription.all([originalTransactionId] + others, of: bundleId, environment)
    }
}
