/// A question to the ledger about a customer.
public struct LedgerQuestion: Equatable, Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environment that the evidence is from.
    public let environment: AppStoreEnvironment?
    /// The customer by whom limits count; `nil` when the request names no account.
    public let customer: String?
    /// The server's clock.
    public let now: Timestamp
    /// The offers whose signatures are asked about, with their limits and the subscription that decides, by which a
    /// customer without account is counted.
    public let offers: [(offer: OfferRequest, limit: SignatureLimit, originalTransactionId: String?)]
    /// The subscriptions that are asked about, by their original transaction identifiers.
    public let originalTransactionIds: [String]

    /// Creates a question.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment that the evidence is from.
    ///   - customer: The customer by whom limits count.
    ///   - now: The server's clock.
    ///   - offers: The offers whose signatures are asked about.
    ///   - originalTransactionIds: The subscriptions that are asked about.
    public init(
        bundleId: String,
        environment: AppStoreEnvironment?,
        customer: String?,
        now: Timestamp,
        offers: [(offer: OfferRequest, limit: SignatureLimit, originalTransactionId: String?)],
        originalTransactionIds: [String]
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.customer = customer
        self.now = now
        self.offers = offers
        self.originalTransactionIds = originalTransactionIds
    }

    /// Equal in everything asked.
    public static func == (left: LedgerQuestion, right: LedgerQuestion) -> Bool {
        left.bundleId == right.bundleId && left.environment == right.environment && left.customer == right.customer
            && left.now == right.now && left.originalTransactionIds == right.originalTransactionIds
            && left.offers.elementsEqual(right.offers) { $0 == $1 }
    }
}
