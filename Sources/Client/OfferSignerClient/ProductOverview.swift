public import FoundationEssentials

/// The known prices and offers of an app's products in a country.
public struct ProductOverview: Codable, Equatable, Sendable {
    /// The app.
    public let bundleId: String
    /// The country by ISO 3166-1 alpha-2.
    public let countryCode: String
    /// The products with their prices and offers.
    public let products: [KnownProduct]
    /// Products that were asked for, and of which nothing is known.
    public let unknownProducts: [String]
    /// Offers of the catalog that no client has seen.
    public let offersNeverSeen: [RequestedOffer]
    /// Offers that clients have seen, and the catalog does not know.
    public let offersNotInCatalog: [RequestedOffer]
}

/// The known prices and offers of one product in one country.
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

/// The known prices of an offer on a product in one country.
public struct KnownOffer: Codable, Equatable, Sendable {
    /// The saving by an offer.
    public struct Saving: Codable, Equatable, Sendable {
        /// The saving in each period, a decimal.
        public let perPeriod: String
        /// The same in parts.
        public let perPeriodParts: KnownProduct.PriceParts
        /// The saving in whole percent.
        public let percent: Int
    }

    /// Terms that were seen before the newest.
    public struct OlderTerms: Codable, Equatable, Sendable {
        /// How it was paid: `payAsYouGo`, `payUpFront` or `freeTrial`.
        public let paymentMode: String
        /// The price, a decimal.
        public let price: String
        /// The price in parts.
        public let priceParts: KnownProduct.PriceParts
        /// The currency of the price; `nil` where it was not noted.
        public let currencyCode: String?
        /// The unit of a period: `day`, `week`, `month` or `year`.
        public let periodUnit: String
        /// How many periods, for `payAsYouGo`.
        public let numberOfPeriods: Int?
        /// How many units the one period has, for the others.
        public let numberOfUnits: Int?
        /// When they were first seen.
        public let firstSeenAt: Date
        /// When they were last seen.
        public let lastSeenAt: Date
        /// How often they were seen.
        public let timesSeen: Int
    }

    /// The promotional offer; `nil` for the introductory one.
    public let offerId: String?
    /// Whether the catalog has the promotional offer.
    public let inCatalog: Bool?
    /// `introductory` or `promotional`.
    public let type: String
    /// How it is paid: `payAsYouGo`, `payUpFront` or `freeTrial`.
    public let paymentMode: String
    /// The price, a decimal.
    public let price: String
    /// The price in parts.
    public let priceParts: KnownProduct.PriceParts
    /// The currency of the price, which the product's price may have left since; `nil` where it was not noted.
    public let currencyCode: String?
    /// The unit of a period: `day`, `week`, `month` or `year`.
    public let periodUnit: String
    /// How many periods, for `payAsYouGo`.
    public let numberOfPeriods: Int?
    /// How many units the one period has, for the others.
    public let numberOfUnits: Int?
    /// How long the offer lasts by ISO 8601, such as `P3M`, where that can be known.
    public let duration: String?
    /// The saving, if it can be known.
    public let saved: Saving?
    /// When these terms were first seen.
    public let firstSeenAt: Date
    /// When these terms were last seen.
    public let lastSeenAt: Date
    /// How often they were seen.
    public let timesSeen: Int
    /// Terms that were seen before.
    public let older: [OlderTerms]
}
