/// What one request got signed: it is kept as a whole, and nothing of it leaves before.
///
/// It is a class so that handing it on copies nothing.
public final class LedgerEntry: Sendable {
    /// When it was signed, by the server's clock.
    public let time: Timestamp
    /// The client that asked, by its name in `clients.yaml`; ``commandLine`` for `offer-signer sign`.
    public let client: String
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environment that the evidence is from; `nil` without evidence, or where it does not say.
    public let environment: AppStoreEnvironment?
    /// The kind of the evidence; `nil` when the request carried none.
    public let evidence: EvidenceKind?
    /// The account that was signed: it is kept as a keyed digest alone.
    public let account: Account
    /// The customer by whom limits count, see ``Account/customer(by:)``: it is kept as a keyed digest alone.
    public let customer: String?
    /// The offers that were signed, in the order asked.
    public let grants: [OfferGrant]

    /// The client of signatures that an operator made on the command line.
    public static let commandLine = "offer-signer sign"

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - time: When it was signed.
    ///   - client: The client that asked.
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment that the evidence is from.
    ///   - evidence: The kind of the evidence.
    ///   - account: The account that was signed.
    ///   - customer: The customer by whom limits count.
    ///   - grants: The offers that were signed.
    public init(
        time: Timestamp,
        client: String,
        bundleId: String,
        environment: AppStoreEnvironment?,
        evidence: EvidenceKind?,
        account: Account,
        customer: String?,
        grants: [OfferGrant]
    ) {
        self.time = time
        self.client = client
        self.bundleId = bundleId
        self.environment = environment
        self.evidence = evidence
        self.account = account
        self.customer = customer
        self.grants = grants
    }
}

extension LedgerEntry: Equatable {
    /// Whether two say the same.
    public static func == (left: LedgerEntry, right: LedgerEntry) -> Bool {
        left.time == right.time && left.client == right.client && left.bundleId == right.bundleId
            && left.environment == right.environment && left.evidence == right.evidence
            && left.account == right.account && left.customer == right.customer && left.grants == right.grants
    }
}
