/// A question for decisions, of which nothing is signed.
public struct EligibilityRequest: Equatable, Sendable {
    /// The app; may be left out by a client of one app.
    public var bundleId: String?
    /// The account that the offers would be signed for.
    public var account: Account
    /// What shows what the customer has; `nil` for the state that the service holds for the account.
    public var evidence: Evidence?
    /// The promotional offers, 1 to 100; `nil` for every offer of the catalog.
    public var offers: [RequestedOffer]?
    /// The products whose introductory offers are asked about, at most 100.
    public var products: [String]
    /// Whether each decision is to tell every rule that was asked.
    public var explain: Bool

    /// Creates a question.
    ///
    /// - Parameters:
    ///   - bundleId: The app; may be left out by a client of one app.
    ///   - account: The account that the offers would be signed for.
    ///   - evidence: What shows what the customer has; `nil` for the state that the service holds for the account.
    ///   - offers: The promotional offers, 1 to 100; `nil` for every offer of the catalog.
    ///   - products: The products whose introductory offers are asked about, at most 100.
    ///   - explain: Whether each decision is to tell every rule that was asked.
    public init(
        bundleId: String? = nil,
        account: Account = .none,
        evidence: Evidence?,
        offers: [RequestedOffer]? = nil,
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

    private struct Members: Encodable {
        let request: EligibilityRequest

        private enum Key: CodingKey {
            case bundleId, offers, products, explain
        }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            try members.encodeIfPresent(request.bundleId, forKey: .bundleId)
            try request.account.encode(to: encoder)
            try members.encodeIfPresent(request.offers, forKey: .offers)
            if !request.products.isEmpty { try members.encode(request.products, forKey: .products) }
            if request.explain { try members.encode(true, forKey: .explain) }
        }
    }

    func body() throws(OfferSignerError) -> [UInt8] { try Evidence.body(Members(request: self), with: evidence) }
}
