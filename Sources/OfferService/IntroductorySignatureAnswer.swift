public import Offers

/// The answer to an ``IntroductorySignatureRequest``: a decision for each product, signed where it is known.
public struct IntroductorySignatureAnswer: Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environment that the evidence is from; `nil` without evidence, or where it does not say.
    public let environment: AppStoreEnvironment?
    /// The account of the request.
    public let account: Account
    /// One decision for each product, in the order asked.
    public let products: [SignedProductEligibility]
}

/// A decision about the introductory offer of one product, with its signature.
public struct SignedProductEligibility: Sendable {
    /// The product.
    public let productId: String
    /// What was decided.
    public let introductoryOffer: IntroductoryDecision
    /// The signature; `nil` where nothing is known that could be signed: the App Store decides by itself then.
    public let jws: IntroductoryOfferEligibilityJWS?
}
