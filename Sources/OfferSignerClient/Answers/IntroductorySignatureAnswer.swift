public import FoundationEssentials

/// The answer of a question for signed decisions about introductory offers.
public struct IntroductorySignatureAnswer: Codable, Equatable, Sendable {
    /// A decision about a product's introductory offer, signed where there is something to sign.
    public struct SignedProductEligibility: Codable, Equatable, Sendable {
        /// The product.
        public let productId: String
        /// The decision.
        public let introductoryOffer: IntroductoryDecision
        /// What is signed; `nil` where nothing is.
        public let allowIntroductoryOffer: Bool?
        /// The compact JWS for `introductoryOfferEligibility(compactJWS:)`; `nil` where nothing is signed.
        public let jws: String?
        /// Until when the App Store takes the signature.
        public let expiresAt: Date?
    }

    /// The app.
    public let bundleId: String
    /// Where the evidence is from; `nil` where there is none that tells.
    public let environment: AppStoreEnvironment?
    /// The customer's account.
    public let account: Account
    /// A decision for each product, in the order asked.
    public let products: [SignedProductEligibility]
}
