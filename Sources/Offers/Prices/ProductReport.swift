/// A client's report of a product, as StoreKit shows it in one country.
package struct ProductReport: Equatable, Sendable {
    /// The product.
    package let productId: String
    /// The country of the client's storefront.
    package let country: CountryCode
    /// The price of one billing period.
    package let tag: PriceTag
    /// The offers that the client was shown.
    ///
    /// One that is not among them may be there all the same: a customer who used the introductory offer no longer
    /// sees it.
    package let offers: [ReportedOffer]

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - productId: The product.
    ///   - country: The country of the client's storefront.
    ///   - tag: The price of one billing period.
    ///   - offers: The offers that the client was shown, in the currency of the price.
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

/// An offer that a client was shown.
package struct ReportedOffer: Equatable, Sendable {
    /// The offer's name.
    package let name: OfferName
    /// Its terms.
    package let terms: OfferTerms

    /// Creates an offer.
    ///
    /// - Parameters:
    ///   - name: Which offer it is.
    ///   - terms: Its terms.
    package init(name: OfferName, terms: OfferTerms) {
        self.name = name
        self.terms = terms
    }
}

/// Where product reports are kept, per app, product and country: the port to storage.
package protocol ProductReportStore: Sendable {
    /// Keeps reports, in their order.
    ///
    /// - Parameters:
    ///   - reports: The reports.
    ///   - bundleId: The app that they are about.
    ///   - moment: When they came.
    /// - Returns: For each report whether it was kept; `false` when the app has no room for more products or offers.
    /// - Throws: ``StorageFailure`` when nothing could be kept.
    func keep(
        _ reports: [ProductReport],
        of bundleId: String,
        at moment: Timestamp
    ) async throws(StorageFailure) -> [Bool]

    /// The known prices and offers of an app's products in a country.
    ///
    /// - Parameters:
    ///   - bundleId: The app.
    ///   - country: The country.
    /// - Returns: The products, in no order that counts.
    /// - Throws: ``StorageFailure`` when the store cannot be read.
    func products(
        of bundleId: String,
        in country: CountryCode
    ) async throws(StorageFailure) -> [ObservedProduct]

    /// The promotional offers of an app that any client was shown in any country.
    ///
    /// - Parameter bundleId: The app.
    /// - Returns: The offers.
    /// - Throws: ``StorageFailure`` when the store cannot be read.
    func offersSeen(of bundleId: String) async throws(StorageFailure) -> Set<OfferRequest>
}
