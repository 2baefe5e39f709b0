public import FoundationEssentials

/// What is known of one product in one country.
public struct KnownProduct: Codable, Equatable, Sendable {
    /// An amount in parts, for a page to put together as its language does.
    public struct PriceParts: Codable, Equatable, Sendable {
        /// The whole units.
        public let whole: String
        /// The digits after the decimal mark; empty where the currency has none.
        public let fraction: String
    }

    /// A price that was seen before the newest.
    public struct OlderPrice: Codable, Equatable, Sendable {
        /// The price, a decimal.
        public let price: String
        /// The price in parts.
        public let priceParts: PriceParts
        /// The currency by ISO 4217.
        public let currencyCode: String
        /// The currency's sign, where it was reported.
        public let symbol: String?
        /// When it was first seen.
        public let firstSeenAt: Date
        /// When it was last seen.
        public let lastSeenAt: Date
        /// How often it was seen.
        public let timesSeen: Int
    }

    /// The product.
    public let productId: String
    /// Whether the catalog has it.
    public let inCatalog: Bool
    /// The newest price, a decimal.
    public let price: String
    /// The price in parts.
    public let priceParts: PriceParts
    /// The currency by ISO 4217.
    public let currencyCode: String
    /// The currency's sign, where it was reported.
    public let symbol: String?
    /// The subscription period by ISO 8601, such as `P1M`, where the catalog says it.
    public let period: String?
    /// When this price was first seen.
    public let firstSeenAt: Date
    /// When this price was last seen.
    public let lastSeenAt: Date
    /// How often it was seen.
    public let timesSeen: Int
    /// Prices that were seen before.
    public let olderPrices: [OlderPrice]
    /// The offers on the product.
    public let offers: [KnownOffer]
}
