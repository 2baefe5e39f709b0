/// The answer of a question for decisions.
public struct EligibilityAnswer: Codable, Equatable, Sendable {
    /// Whether the customer may have a product's introductory offer.
    public struct ProductEligibility: Codable, Equatable, Sendable {
        /// The product.
        public let productId: String
        /// The decision.
        public let introductoryOffer: IntroductoryDecision
        /// The win-back offers of the product's group that Apple names for the customer, in Apple's order; often none.
        public var winBackOffers: [WinBackOffer] { listedWinBackOffers ?? [] }
        private let listedWinBackOffers: [WinBackOffer]?

        private enum CodingKeys: String, CodingKey {
            case productId, introductoryOffer
            case listedWinBackOffers = "winBackOffers"
        }
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
    /// The win-back offers that Apple names for the customer, in Apple's order, of the groups that the request asks about;
    /// often none.
    public var winBackOffers: [WinBackOffer] { listedWinBackOffers ?? [] }
    private let listedWinBackOffers: [WinBackOffer]?

    private enum CodingKeys: String, CodingKey {
        case bundleId, environment, account, decisions, products
        case listedWinBackOffers = "winBackOffers"
    }
}

/// A win-back offer that Apple names for a customer who has lapsed.
///
/// Nobody signs it: the app presents it, or opens ``url``.
public struct WinBackOffer: Codable, Equatable, Hashable, Sendable {
    /// The offer, as App Store Connect names it.
    public let id: String
    /// Where the customer can redeem it, where the catalog has that.
    public let url: String?
}
