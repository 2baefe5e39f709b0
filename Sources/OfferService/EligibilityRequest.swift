public import Offers

/// A client's question: which offers may this customer have? Nothing is signed for it.
public struct EligibilityRequest: Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The account that the offers would be signed for.
    public let account: Account
    /// What shows what the customer has; `nil` to decide by the state that the service holds.
    public let evidence: Evidence?
    /// The offers, in the order in which they are answered; `nil` for every offer of the catalog for the app.
    public let offers: [OfferRequest]?
    /// The products whose introductory offers are asked about, in the order in which they are answered.
    public let products: [String]
    /// Whether each decision is to carry every rule that was asked.
    public let explain: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - account: The account that the offers would be signed for.
    ///   - evidence: What shows what the customer has.
    ///   - offers: The offers asked about; `nil` for every offer of the catalog for the app.
    ///   - products: The products whose introductory offers are asked about.
    ///   - explain: Whether each decision is to carry every rule that was asked.
    public init(
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
    public var explained: EligibilityRequest {
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
