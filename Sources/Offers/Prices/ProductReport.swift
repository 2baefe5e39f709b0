/// What a client's StoreKit shows of a product in one country.
public struct ProductReport: Equatable, Sendable {
    /// The product.
    public let productId: String
    /// The country of the client's storefront.
    public let country: CountryCode
    /// The price of one billing period.
    public let tag: PriceTag
    /// The offers that the client was shown.
    ///
    /// One that is not among them may be there all the same: a customer who used the introductory offer no longer
    /// sees it.
    public let offers: [ReportedOffer]

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - productId: The product.
    ///   - country: The country of the client's storefront.
    ///   - tag: The price of one billing period.
    ///   - offers: The offers that the client was shown, in the currency of the price.
    public init(productId: String, country: CountryCode, tag: PriceTag, offers: [ReportedOffer]) {
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
