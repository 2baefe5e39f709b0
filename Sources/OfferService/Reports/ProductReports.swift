package import Offers

/// The use cases of product reports: stores the products that clients' StoreKit shows, and answers landing pages.
package struct ProductReports: Sendable {
    private let apps: [String: App]
    private let store: any ProductReportStore
    private let now: @Sendable () -> Timestamp

    /// Creates the use cases; of two apps with one bundle identifier the first counts.
    package init(apps: [App], store: any ProductReportStore, now: @escaping @Sendable () -> Timestamp) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.store = store
        self.now = now
    }

    /// Saves all reports or throws; `false` for a report without room, `nil` for an app outside the catalog.
    package func save(_ reports: [ProductReport], of bundleId: String) async throws(StorageFailure) -> [Bool]? {
        guard apps[bundleId] != nil else { return nil }
        return try await store.save(reports, of: bundleId, at: now())
    }

    /// The products of an app known in a country, all for no `productIds`; `nil` for an app outside the catalog.
    package func products(
        of bundleId: String,
        in country: CountryCode,
        productIds: [String] = []
    ) async throws(StorageFailure) -> ProductOverview? {
        guard let app = apps[bundleId] else { return nil }
        let observed = try await store.products(of: bundleId, in: country)
        let seen = try await store.offersSeen(of: bundleId)
        let asked = Set(productIds)
        func counts(_ productId: String) -> Bool { asked.isEmpty || asked.contains(productId) }
        let known = Set(observed.map(\.productId))
        return ProductOverview(
            bundleId: bundleId,
            country: country,
            products: observed.filter { counts($0.productId) }.sorted { $0.productId < $1.productId }
                .map { KnownProduct(observed: $0, catalog: app.product($0.productId)?.product) },
            unknownProducts: Array(asked.subtracting(known)).sorted(),
            offers: CatalogComparison(
                offered: app.offers.filter { counts($0.productId) },
                seen: seen.filter { counts($0.productId) }
            )
        )
    }

    /// Compares the catalog's offers of an app with the offers shown to clients; `nil` for an app outside the catalog.
    package func comparison(of bundleId: String) async throws(StorageFailure) -> CatalogComparison? {
        guard let app = apps[bundleId] else { return nil }
        return CatalogComparison(offered: app.offers, seen: try await store.offersSeen(of: bundleId))
    }
}

/// An app's products as they are known in one country, and how they compare with the catalog.
package struct ProductOverview: Sendable {
    package let bundleId: String
    package let country: CountryCode
    /// The products that clients reported, by their identifiers.
    package let products: [KnownProduct]
    /// The requested products that no client reported in this country.
    package let unknownProducts: [String]
    /// Of the requested products.
    package let offers: CatalogComparison
}

/// A product as clients reported it.
package struct KnownProduct: Sendable {
    package let observed: ObservedProduct
    /// The product in the catalog; `nil` when the catalog lacks it.
    package let catalog: Product?

    package struct Offer: Sendable {
        package let name: OfferName
        package let terms: ObservationLog<ObservedTerms>
        /// Its saving in each billing period; `nil` when that is not known, as where the product's price is in another
        /// currency by now, or nothing is saved.
        package let saving: OfferSaving?
        package let duration: SubscriptionPeriod?
        /// Whether the catalog has it; introductory offers are never in the catalog.
        package let isInCatalog: Bool
    }

    /// The offers: the introductory one first, then by their identifiers.
    package var offers: [Offer] {
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
package struct CatalogComparison: Equatable, Sendable {
    /// The offers of the catalog that no client was shown in any country, in the catalog's order.
    package let neverSeen: [OfferRequest]
    /// The promotional offers that some client was shown and the catalog lacks, by their identifiers.
    package let notInCatalog: [OfferRequest]

    init(offered: [OfferRequest], seen: Set<OfferRequest>) {
        neverSeen = offered.filter { !seen.contains($0) }
        notInCatalog = seen.subtracting(offered).sorted { ($0.productId, $0.offerId) < ($1.productId, $1.offerId) }
    }
}
