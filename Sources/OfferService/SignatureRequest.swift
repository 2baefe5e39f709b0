public import Offers

/// A client's question: may this customer have these offers, and if so, the signatures.
public final class SignatureRequest: Sendable {
    /// The client that asks, by its name, for the ledger.
    public let client: String
    /// The app's bundle identifier.
    public let bundleId: String
    /// The account to sign for.
    public let account: Account
    /// What shows what the customer has; `nil` to decide by the state that the service holds.
    public let evidence: Evidence?
    /// The offers, in the order in which they are answered; one may repeat.
    public let offers: [OfferRequest]
    /// The forms in which eligible offers are signed, at least one.
    public let formats: Set<SignatureFormat>
    /// Whether each decision is to carry every rule that was asked.
    public let explain: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - client: The client that asks, by its name.
    ///   - bundleId: The app's bundle identifier.
    ///   - account: The account to sign for.
    ///   - evidence: What shows what the customer has.
    ///   - offers: The offers asked for.
    ///   - formats: The forms in which eligible offers are signed.
    ///   - explain: Whether each decision is to carry every rule that was asked.
    public init(
        client: String,
        bundleId: String,
        account: Account,
        evidence: Evidence?,
        offers: [OfferRequest],
        formats: Set<SignatureFormat> = [.discount],
        explain: Bool = false
    ) {
        self.client = client
        self.bundleId = bundleId
        self.account = account
        self.evidence = evidence
        self.offers = offers
        self.formats = formats
        self.explain = explain
    }
}
