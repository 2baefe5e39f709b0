/// What StoreKit shows a client of one product in one country.
public struct ProductReport: Encodable, Equatable, Sendable {
    /// The product.
    public var productId: String
    /// Its price, a decimal such as `9.99`.
    public var price: String
    /// The country by ISO 3166-1, such as `DE` or `DEU`.
    public var countryCode: String
    /// The currency by ISO 4217, such as `EUR`.
    public var currencyCode: String
    /// The currency's sign as StoreKit shows it.
    public var symbol: String?
    /// The offers on the product.
    public var offers: [ReportedOffer]

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - productId: The product.
    ///   - price: Its price, a decimal such as `9.99`.
    ///   - countryCode: The country by ISO 3166-1.
    ///   - currencyCode: The currency by ISO 4217.
    ///   - symbol: The currency's sign as StoreKit shows it.
    ///   - offers: The offers on the product.
    public init(
        productId: String,
        price: String,
        countryCode: String,
        currencyCode: String,
        symbol: String? = nil,
        offers: [ReportedOffer] = []
    ) {
        self.productId = productId
        self.price = price
        self.countryCode = countryCode
        self.currencyCode = currencyCode
        self.symbol = symbol
        self.offers = offers
    }

    private enum CodingKeys: String, CodingKey {
        case productId = "product_id"
        case price
        case countryCode = "country_code"
        case currencyCode = "currency_code"
        case symbol
        case offers = "promotion"
    }
}
