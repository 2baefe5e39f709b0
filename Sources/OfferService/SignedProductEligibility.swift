public import Offers

/// A decision about the introductory offer of one product, with its signature.
public struct SignedProductEligibility: Sendable {
    /// The product.
    public let productId: String
    /// What was decided.
    public let introductoryOffer: IntroductoryDecision
    /// The signature; `nil` where nothing is known that could be signed: the App Store decides by itself then.
    public let jws: IntroductoryOfferEligibilityJWS?
}
