/// A client's report of a product, as StoreKit shows it in one country.
package struct ProductReport: Equatable, Sendable {
    package let productId: String
    /// Of the client's storefront.
    package let country: CountryCode
    /// The price of one billing period.
    package let tag: PriceTag
    /// The offers that the client was shown.
    ///
    /// Others may be there all the same: a customer who used the introductory offer no longer sees it.
    package let offers: [ReportedOffer]

    /// Sets the currency of the offers: that of the price.
    package init(productId: String, country: CountryCode, tag: PriceTag, offers: [ReportedOffer]) {
        self.productId = productId
        self.country = country
        self.tag = tag
        self.offers = offers.map { offer in
            var terms = offer.terms
            terms.currency = tag.currency
            return ReportedOffer(name: offer.name, terms: terms)
        }
    }
}

package struct ReportedOffer: Equatable, Sendable {
    package let name: OfferName
    package let terms: ObservedTerms

    package init(name: OfferName, terms: ObservedTerms) {
        self.name = name
        self.terms = terms
    }
}

/// Product reports per app, product and country: the port to storage.
package protocol ProductReportStore: Sendable {
    /// Saves reports, in their order; `false` stands for one that the app has no room for.
    func save(
        _ reports: [ProductReport],
        of bundleId: String,
        at moment: Timestamp
    ) async throws(StorageFailure) -> [Bool]

    /// The known prices and offers of an app's products in a country, in no order that counts.
    func products(
        of bundleId: String,
        in country: CountryCode
    ) async throws(StorageFailure) -> [ObservedProduct]

    /// The promotional offers of an app that any client was shown in any country.
    func offersSeen(of bundleId: String) async throws(StorageFailure) -> Set<OfferRequest>
}
