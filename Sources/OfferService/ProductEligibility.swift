public import Offers

/// What a customer may have of one product without a signature: its introductory offer, and the win-back offers.
public struct ProductEligibility: Sendable {
    /// The product.
    public let productId: String
    /// What was decided.
    public let introductoryOffer: IntroductoryDecision
    /// The win-back offers that the customer may have in the product's group, in Apple's order.
    public let winBackOffers: [WinBackOffer]
}
