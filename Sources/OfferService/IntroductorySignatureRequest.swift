package import Offers

/// A client's question: may this customer have the introductory offers of these products? The answers are signed.
package struct IntroductorySignatureRequest: Sendable {
    /// The client that asks, by its name, for the ledger.
    package let client: String
    /// The app's bundle identifier.
    package let bundleId: String
    /// The customer's account.
    package let account: Account
    /// What shows what the customer has; `nil` to decide by the state that the service holds.
    package let evidence: Evidence?
    /// The products, in the order in which they are answered.
    package let products: [String]
    /// Any transaction of the customer, or the `appTransactionId`; `nil` to take one from the evidence.
    package let transactionId: String?
    /// Whether the client would let the customer have them; `false` signs refusals, whatever the verdicts.
    package let allowIntroductoryOffer: Bool
    /// Whether each decision is to carry every rule that was asked.
    package let explain: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - client: The client that asks, by its name.
    ///   - bundleId: The app's bundle identifier.
    ///   - account: The customer's account.
    ///   - evidence: What shows what the customer has.
    ///   - products: The products.
    ///   - transactionId: Any transaction of the customer, or the `appTransactionId`.
    ///   - allowIntroductoryOffer: Whether the client would let the customer have them.
    ///   - explain: Whether each decision is to carry every rule that was asked.
    package init(
        client: String,
        bundleId: String,
        account: Account,
        evidence: Evidence?,
        products: [String],
        transactionId: String? = nil,
        allowIntroductoryOffer: Bool = true,
        explain: Bool = false
    ) {
        self.client = client
        self.bundleId = bundleId
        self.account = account
        self.evidence = evidence
        self.products = products
        self.transactionId = transactionId
        self.allowIntroductoryOffer = allowIntroductoryOffer
        self.explain = explain
    }
}

/// The answer to an ``IntroductorySignatureRequest``: a decision for each product, signed where it is known.
package struct IntroductorySignatureAnswer: Sendable {
    /// The app's bundle identifier.
    package let bundleId: String
    /// The environment that the evidence is from; `nil` without evidence, or where it does not say.
    package let environment: AppStoreEnvironment?
    /// The account of the request.
    package let account: Account
    /// One decision for each product, in the order asked.
    package let products: [SignedProductEligibility]
}

/// A decision about the introductory offer of one product, with its signature.
package struct SignedProductEligibility: Sendable {
    /// The product.
    package let productId: String
    /// The decision.
    package let introductoryOffer: IntroductoryDecision
    /// The signature; `nil` where nothing is known that could be signed: the App Store decides by itself then.
    package let jws: IntroductoryOfferEligibilityJWS?
}
