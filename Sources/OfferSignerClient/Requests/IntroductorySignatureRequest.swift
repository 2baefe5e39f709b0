/// A question for signed decisions about introductory offers.
public struct IntroductorySignatureRequest: Equatable, Sendable {
    /// The app; may be left out by a client of one app.
    public var bundleId: String?
    /// The customer's account.
    public var account: Account
    /// What shows what the customer has; `nil` for the state that the service holds for the account.
    public var evidence: Evidence?
    /// The products, 1 to 100.
    public var products: [String]
    /// Any transaction of the customer, or the `appTransactionID` of StoreKit 2's `AppTransaction`; `nil` for one of the
    /// evidence.
    public var transactionId: String?
    /// `false` to refuse the offers, whatever the verdicts.
    public var allowIntroductoryOffer: Bool
    /// Whether each decision is to tell every rule that was asked.
    public var explain: Bool

    /// Creates a question.
    ///
    /// - Parameters:
    ///   - bundleId: The app; may be left out by a client of one app.
    ///   - account: The customer's account.
    ///   - evidence: What shows what the customer has; `nil` for the state that the service holds for the account.
    ///   - products: The products, 1 to 100.
    ///   - transactionId: Any transaction of the customer, or the `appTransactionID`; `nil` for one of the evidence.
    ///   - allowIntroductoryOffer: `false` to refuse the offers, whatever the verdicts.
    ///   - explain: Whether each decision is to tell every rule that was asked.
    public init(
        bundleId: String? = nil,
        account: Account = .none,
        evidence: Evidence?,
        products: [String],
        transactionId: String? = nil,
        allowIntroductoryOffer: Bool = true,
        explain: Bool = false
    ) {
        self.bundleId = bundleId
        self.account = account
        self.evidence = evidence
        self.products = products
        self.transactionId = transactionId
        self.allowIntroductoryOffer = allowIntroductoryOffer
        self.explain = explain
    }

    private struct Members: Encodable {
        let request: IntroductorySignatureRequest

        private enum Key: CodingKey {
            case bundleId, products, transactionId, allowIntroductoryOffer, explain
        }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            try members.encodeIfPresent(request.bundleId, forKey: .bundleId)
            try request.account.encode(to: encoder)
            try members.encode(request.products, forKey: .products)
            try members.encodeIfPresent(request.transactionId, forKey: .transactionId)
            if !request.allowIntroductoryOffer { try members.encode(false, forKey: .allowIntroductoryOffer) }
            if request.explain { try members.encode(true, forKey: .explain) }
        }
    }

    func body() throws(OfferSignerError) -> [UInt8] { try Evidence.body(Members(request: self), with: evidence) }
}
