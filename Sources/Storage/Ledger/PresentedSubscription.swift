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
    func subscription(_ originalTransactionId: String) -> PresentedSubscription {
        PresentedSubscription(
            bundleId: bundleId,
            environment: environment?.rawValue ?? "",
            originalTransactionId: originalTransactionId
        )
    }
}
