public import Offers

/// How an app's offers in the catalog compare with those that clients' StoreKit has shown.
public struct CatalogComparison: Equatable, Sendable {
    /// The offers of the catalog that no client was shown in any country, in the catalog's order.
    public let neverSeen: [OfferRequest]
    /// The promotional offers that some client was shown and that the catalog does not have, by their identifiers.
    public let notInCatalog: [OfferRequest]

    /// Compares.
    ///
    /// - Parameters:
    ///   - offered: The offers of the catalog.
    ///   - seen: The offers that some client was shown.
    init(offered: [OfferRequest], seen: Set<OfferRequest>) {
        neverSeen = offered.filter { !seen.contains($0) }
        notInCatalog = seen.subtracting(offered).sorted { ($0.productId, $0.offerId) < ($1.productId, $1.offerId) }
    }
}
