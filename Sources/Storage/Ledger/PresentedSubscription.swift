import Offers

/// A subscription as it is presented in evidence.
struct PresentedSubscription: Hashable {
    let bundleId: String
    /// The environment; empty where the evidence does not say.
    let environment: String
    let originalTransactionId: String
}

extension LedgerEntry {
    /// The subscription that decided about a grant; `nil` where none did.
    ///
    /// - Parameter grant: A grant of the entry.
    /// - Returns: The subscription.
    func subscription(of grant: OfferGrant) -> PresentedSubscription? {
        grant.originalTransactionId.map {
            PresentedSubscription(
                bundleId: bundleId,
                environment: environment?.rawValue ?? "",
                originalTransactionId: $0
            )
        }
    }
}

extension LedgerQuestion {
    /// A subscription that is asked about.
    ///
    /// - Parameter originalTransactionId: The identifier of its first purchase.
    /// - Returns: The subscription.
    func subscription(_ originalTransactionId: String) -> PresentedSubscription {
        PresentedSubscription(
            bundleId: bundleId,
            environment: environment?.rawValue ?? "",
            originalTransactionId: originalTransactionId
        )
    }
}
