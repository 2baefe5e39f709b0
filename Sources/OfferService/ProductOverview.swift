public import Offers

/// What is known of an app's products in one country, and how it compares with the catalog.
public struct ProductOverview: Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The country.
    public let country: CountryCode
    /// The products that clients reported, by their identifiers.
    public let products: [KnownProduct]
    /// The products that were asked for and that no client reported in this country.
    public let unknownProducts: [String]
    /// The offers of the catalog that no client was shown in any country, in the catalog's order.
    public let offersNeverSeen: [OfferRequest]
    /// The promotional offers that some client was shown and that the catalog does not have.
    public let offersNotInCatalog: [OfferRequest]
}

/// A product as clients reported it.
public struct KnownProduct: Sendable {
    /// What was reported.
    public let observed: ObservedProduct
    /// The product in the catalog; `nil` when it does not have it.
    public let catalog: Product?

    /// An offer of the product.
    public struct Offer: Sendable {
        /// Which offer it is.
        public let name: OfferName
        /// What was reported.
        public let terms: ObservationLog<OfferTerms>
        /// What it saves in each billing period; `nil` when that cannot be told, as where the product's price is in another
        /// currency by now, or nothing is saved.
        public let saving: OfferSaving?
        /// How long it lasts; `nil` when that cannot be told.
        public let duration: SubscriptionPeriod?
        /// Whether the catalog has it; introductory offers are never in the catalog.
        public let isInCatalog: Bool
    }

    /// The offers: the introductory one first, then by their identifiers.
    public var offers: [Offer] {
        observed.offers.sorted { ($0.key.offerId ?? "") < ($1.key.offerId ?? "") }.map { name, terms in
            let (tag, newest) = (observed.prices.newest.value, terms.newest.value)
            let isComparable = newest.currency == tag.currency
            return Offer(
                name: name,
                terms: terms,
                saving: isComparable
                    ? OfferSaving(by: newest, insteadOf: tag.price, in: tag.currency, billedEvery: catalog?.period)
                    : nil,
                duration: newest.duration(billedEvery: catalog?.period),
                isInCatalog: name.offerId.flatMap { catalog?.offer($0) } != nil
            )
        }
    }
}

/// How an app's offers in the catalog compare with those that clients' StoreKit has shown.
public struct CatalogComparison: Equatable, Sendable {
    /// The offers of the catalog that no client was shown in any country, in the catalog's order.
    public let neverSeen: [OfferRequest]
    /// The promotional offers that some client was shown and that the catalog does not have, by their identifiers.
    public let notInCatalog: [OfferRequest]

    /// Compares.
    init(offered: [OfferRequest], seen: Set<OfferRequest>) {
        neverSeen = offered.filter { !seen.contains($0) }
        notInCatalog = seen.subtracting(offered).sorted { ($0.productId, $0.offerId) < ($1.productId, $1.offerId) }
    }
}
