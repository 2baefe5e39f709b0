/// The answer of a question for decisions.
public struct EligibilityAnswer: Codable, Equatable, Sendable {
    /// Whether the customer may have a product's introductory offer.
    public struct ProductEligibility: Codable, Equatable, Sendable {
        /// The product.
        public let productId: String
        /// The decision.
        public let introductoryOffer: IntroductoryDecision
    }

    /// The app.
    public let bundleId: String
    /// Where the evidence is from; `nil` where there is none that tells.
    public let environment: AppStoreEnvironment?
    /// The account that the offers would be signed for.
    public let account: Account
    /// A decision for each promotional offer, in the order asked.
    public let decisions: [Decision]
    /// A decision for each product that was asked about.
    public let products: [ProductEligibility]
}
