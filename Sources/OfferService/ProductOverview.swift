public import Offers

/// What is known of an app's products in one country, and how it compares with the catalog.
public struct ProductOverview: Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The country.
    public let country: CountryCode
    /// The products that clients reported, by their identifiers.
    public let products: [KnownProduct]
    /// The products that were asked for and that no client reported in this country.
    public let unknownProducts: [String]
    /// The offers of the catalog that no client was shown in any country, in the catalog's order.
    public let offersNeverSeen: [OfferRequest]
    /// The promotional offers that some client was shown and that the catalog does not have.
    public let offersNotInCatalog: [OfferRequest]
}
