public import FoundationEssentials

/// What is known of an offer on a product in one country.
public struct KnownOffer: Codable, Equatable, Sendable {
    /// What an offer saves.
    public struct Saving: Codable, Equatable, Sendable {
        /// What it saves in each period, a decimal.
        public let perPeriod: String
        /// The same in parts.
        public let perPeriodParts: KnownProduct.PriceParts
        /// What it saves in whole percent.
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
    /// What it saves, where that can be known.
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
