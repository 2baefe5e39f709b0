/// How a client asks for a promotional offer.
enum OfferParameters {
    /// By an `SKPaymentDiscount`, or StoreKit 2's five-argument `promotionalOffer`.
    case discount(DiscountParameters)
    /// By StoreKit 2's `promotionalOffer(_:compactJWS:)`.
    case jws(offerId: String?, String)
}
