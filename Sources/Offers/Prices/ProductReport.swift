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

/// A price with its currency.
public struct PriceTag: Equatable, Sendable {
    /// The amount.
    public let price: Price
    /// The currency.
    public let currency: CurrencyCode
    /// How the client's locale writes the currency, such as `€`; `nil` where the client does not say.
    public let symbol: String?

    /// Creates a price tag.
    ///
    /// - Parameters:
    ///   - price: The amount.
    ///   - currency: The currency.
    ///   - symbol: How the client's locale writes the currency.
    public init(price: Price, currency: CurrencyCode, symbol: String?) {
        self.price = price
        self.currency = currency
        self.symbol = symbol
    }

    /// Whether both say the same price; locales of one country may write one currency in several ways.
    public static func == (left: PriceTag, right: PriceTag) -> Bool {
        left.price == right.price && left.currency == right.currency
    }
}

/// An offer that a client was shown.
public struct ReportedOffer: Equatable, Sendable {
    /// Which offer it is.
    public let name: OfferName
    /// Its terms.
    public let terms: OfferTerms

    /// Creates an offer.
    ///
    /// - Parameters:
    ///   - name: Which offer it is.
    ///   - terms: Its terms.
    public init(name: OfferName, terms: OfferTerms) {
        self.name = name
        self.terms = terms
    }
}

/// Which of a product's offers is meant.
public enum OfferName: Hashable, Sendable {
    /// The introductory offer: a product has one in a country.
    case introductory
    /// A promotional offer, by its identifier.
    case promotional(String)

    /// The identifier of a promotional offer.
    public var offerId: String? {
        switch self {
        case .introductory: nil
        case .promotional(let id): id
        }
    }
}
