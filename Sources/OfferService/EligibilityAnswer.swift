public import Offers

/// The answer to an ``EligibilityRequest``: a decision for each offer and each product.
public struct EligibilityAnswer: Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environment that the evidence is from; `nil` without evidence, or where it does not say.
    public let environment: AppStoreEnvironment?
    /// The account that the offers would be signed for.
    public let account: Account
    /// One decision for each offer: in the order asked, or in the catalog's.
    public let decisions: [OfferEligibility]
    /// One decision for each product asked about, in the order asked.
    public let products: [ProductEligibility]
    /// The win-back offers that the customer may have in the groups of these, in Apple's order.
    public let winBackOffers: [WinBackOffer]
}

/// A decision about one offer.
public struct OfferEligibility: Sendable {
    /// The offer.
    public let request: OfferRequest
    /// What was decided.
    public let decision: Decision
}

/// What a customer may have of one product without a signature: its introductory offer, and the win-back offers.
public struct ProductEligibility: Sendable {
    /// The product.
    public let productId: String
    /// What was decided.
    public let introductoryOffer: IntroductoryDecision
    /// The win-back offers that the customer may have in the product's group, in Apple's order.
    public let winBackOffers: [WinBackOffer]
}
