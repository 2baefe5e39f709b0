/// What is known of an app's products in a country.
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
