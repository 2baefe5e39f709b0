/// One offer that a client asks for.
public struct OfferRequest: Hashable, Sendable {
    /// The product to be bought.
    public let productId: String
    /// The promotional offer's identifier.
    public let offerId: String

    /// Creates a request for an offer.
    ///
    /// - Parameters:
    ///   - productId: The product to be bought.
    ///   - offerId: The promotional offer's identifier.
    public init(productId: String, offerId: String) {
        self.productId = productId
        self.offerId = offerId
    }
}
