package import Offers

/// A client's question: which offers may this customer have? Nothing is signed for it.
package struct EligibilityRequest: Sendable {
    /// The app's bundle identifier.
    package let bundleId: String
    /// The account that the offers would be signed for.
    package let account: Account
    /// What shows what the customer has; `nil` to decide by the state that the service holds.
    package let evidence: Evidence?
    /// The offers, in the order in which they are answered; `nil` for every offer of the catalog for the app.
    package let offers: [OfferRequest]?
    /// The products whose introductory offers are asked about, in the order in which they are answered.
    package let products: [String]
    /// Whether each decision is to carry every rule that was asked.
    package let explain: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - account: The account that the offers would be signed for.
    ///   - evidence: What shows what the customer has.
    ///   - offers: The offers asked about; `nil` for every offer of the catalog for the app.
    ///   - products: The products whose introductory offers are asked about.
    ///   - explain: Whether each decision is to carry every rule that was asked.
    package init(
        bundleId: String,
        account: Account,
        evidence: Evidence?,
        offers: [OfferRequest]?,
        products: [String] = [],
        explain: Bool = false
    ) {
        self.bundleId = bundleId
        self.account = account
        self.evidence = evidence
        self.offers = offers
        self.products = products
        self.explain = explain
    }

    /// The same question, with every rule in the answer.
    package var explained: EligibilityRequest {
        EligibilityRequest(
            bundleId: bundleId,
            account: account,
            evidence: evidence,
            offers: offers,
            products: products,
            explain: true
        )
    }
}

/// The answer to an ``EligibilityRequest``: a decision for each offer and each product.
package struct EligibilityAnswer: Sendable {
    /// The app's bundle identifier.
    package let bundleId: String
    /// The environment that the evidence is from; `nil` without evidence, or where it does not say.
    package let environment: AppStoreEnvironment?
    /// The account that the offers would be signed for.
    package let account: Account
    /// One decision for each offer: in the order asked, or in the catalog's.
    package let decisions: [OfferEligibility]
    /// One decision for each product asked about, in the order asked.
    package let products: [ProductEligibility]
    /// The win-back offers that the customer may have in the groups of these, in Apple's order.
    package let winBackOffers: [WinBackOffer]
}

/// A decision about one offer.
package struct OfferEligibility: Sendable {
    /// The offer.
    package let request: OfferRequest
    /// The decision.
    package let decision: Decision
}

/// The offers of one product that need no signature: its introductory offer, and the win-back offers.
package struct ProductEligibility: Sendable {
    /// The product.
    package let productId: String
    /// The decision.
    package let introductoryOffer: IntroductoryDecision
    /// The win-back offers that the customer may have in the product's group, in Apple's order.
    package let winBackOffers: [WinBackOffer]
}
