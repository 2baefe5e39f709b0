public import Offers

/// A decision about the introductory offer of one product.
public struct ProductEligibility: Sendable {
    /// The product.
    public let productId: String
    /// What was decided.
    public let introductoryOffer: IntroductoryDecision
}
