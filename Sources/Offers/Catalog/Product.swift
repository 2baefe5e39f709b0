/// An auto-renewable subscription with its promotional offers.
public struct Product: Equatable, Sendable {
    /// The product identifier in App Store Connect.
    public let id: String
    /// The offers of this product, in the catalog's order.
    public let offers: [PromotionalOffer]

    private let positions: [String: Int]

    /// Creates a product.
    ///
    /// Of two offers with the same identifier the first is found.
    ///
    /// - Parameters:
    ///   - id: The product identifier in App Store Connect.
    ///   - offers: Its promotional offers.
    public init(id: String, offers: [PromotionalOffer] = []) {
        self.id = id
        self.offers = offers
        self.positions = Dictionary(offers.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The offer with that identifier, compared byte for byte as StoreKit does; `nil` when the product has none.
    ///
    /// - Parameter offerId: The offer's identifier.
    /// - Returns: The offer.
    public func offer(_ offerId: String) -> PromotionalOffer? {
        positions[offerId].map { offers[$0] }
    }
}
