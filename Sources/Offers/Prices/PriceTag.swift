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
