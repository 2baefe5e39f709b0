/// A promotional offer on a product, as App Store Connect and the catalog name them.
public struct RequestedOffer: Codable, Equatable, Hashable, Sendable {
    /// The product.
    public let productId: String
    /// The offer on it.
    public let offerId: String

    /// Names an offer.
    ///
    /// - Parameters:
    ///   - productId: The product.
    ///   - offerId: The offer on it.
    public init(productId: String, offerId: String) {
        self.productId = productId
        self.offerId = offerId
    }
}
