/// A question for signatures.
public struct SignatureRequest: Equatable, Sendable {
    /// The app; may be left out by a client of one app.
    public var bundleId: String?
    /// The account that the app sets on the payment.
    public var account: Account
    /// What shows what the customer has; `nil` for the state that the service holds for the account.
    public var evidence: Evidence?
    /// The offers, 1 to 100; the same one may repeat.
    public var offers: [RequestedOffer]
    /// The forms to sign in.
    public var formats: [SignatureFormat]
    /// Whether each decision is to tell every rule that was asked.
    public var explain: Bool

    /// Creates a question.
    ///
    /// - Parameters:
    ///   - bundleId: The app; may be left out by a client of one app.
    ///   - account: The account that the app sets on the payment.
    ///   - evidence: What shows what the customer has; `nil` for the state that the service holds for the account.
    ///   - offers: The offers, 1 to 100.
    ///   - formats: The forms to sign in.
    ///   - explain: Whether each decision is to tell every rule that was asked.
    public init(
        bundleId: String? = nil,
        account: Account = .none,
        evidence: Evidence?,
        offers: [RequestedOffer],
        formats: [SignatureFormat] = [.discount],
        explain: Bool = false
    ) {
        self.bundleId = bundleId
        self.account = account
        self.evidence = evidence
        self.offers = offers
        self.formats = formats
        self.explain = explain
    }

    private struct Members: Encodable {
        let request: SignatureRequest

        private enum Key: CodingKey {
            case bundleId, offers, formats, explain
        }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            try members.encodeIfPresent(request.bundleId, forKey: .bundleId)
            try request.account.encode(to: encoder)
            try members.encode(request.offers, forKey: .offers)
            if request.formats != [.discount] { try members.encode(request.formats, forKey: .formats) }
            if request.explain { try members.encode(true, forKey: .explain) }
        }
    }

    func body() throws(OfferSignerError) -> [UInt8] { try Evidence.body(Members(request: self), with: evidence) }
}
