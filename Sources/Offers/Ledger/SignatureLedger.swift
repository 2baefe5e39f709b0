/// The ledger of signatures: the port to storage.
///
/// A recorded signature is on durable storage. Limits are checked in the same transaction that writes, so that they
/// are exact, also when several services share a database.
package protocol SignatureLedger: Sendable {
    /// Queues entries, and reports their outcomes once they are on durable storage.
    ///
    /// It never blocks: if the queue is full or closed, it fails at once. Entries of one call are queued together and
    /// answered together.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - completion: Called once, from any thread, maybe before this returns: for each entry the outcomes of its
    ///     grants, in their order; or the failure, and then no signature of the call may leave.
    func append(
        _ entries: [LedgerEntry],
        completion: @escaping @Sendable (Result<[[GrantOutcome]], StorageFailure>) -> Void
    )

    /// Looks up the customer's status in the ledger.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: The counts. They may grow before an entry is appended; then the outcome of the entry decides.
    /// - Throws: ``StorageFailure`` when the ledger cannot be read.
    func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer

    /// Looks up the customer's status in the ledger without waiting.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: The counts; `nil` where they have to be waited for.
    func answerAtHand(to question: LedgerQuestion) -> LedgerAnswer?

    /// Whether evidence of a subscription was refused recently because too many customers have shown it: if so, the
    /// ledger is asked before anything is signed or remembered.
    ///
    /// - Parameter subscription: The subscription.
    /// - Returns: `false` for most.
    func isSuspect(_ subscription: SubscriptionIdentity) -> Bool
}

extension SignatureLedger {
    /// Has no answer at hand by default.
    package func answerAtHand(to question: LedgerQuestion) -> LedgerAnswer? { nil }

    /// Suspects no subscription by default.
    package func isSuspect(_ subscription: SubscriptionIdentity) -> Bool { false }

    /// Appends an entry, and waits until it is on durable storage.
    ///
    /// - Parameter entry: The entry.
    /// - Returns: The outcomes of its grants, in their order.
    /// - Throws: ``StorageFailure`` when nothing of it may leave.
    package func append(_ entry: LedgerEntry) async throws(StorageFailure) -> [GrantOutcome] {
        let result = await withCheckedContinuation { continuation in
            append([entry]) { continuation.resume(returning: $0) }
        }
        return try result.get().first ?? []
    }
}

/// A question to the ledger about a customer.
package struct LedgerQuestion: Equatable, Sendable {
    /// The app's bundle identifier.
    package let bundleId: String
    /// The environment that the evidence is from.
    package let environment: AppStoreEnvironment?
    /// The customer for limits; `nil` when the request names no account.
    package let customer: String?
    /// The customer's account if the question names none but it is known; `nil` if it is not known.
    package private(set) var knownAccount: AccountDigest?
    /// The server's clock.
    package let now: Timestamp
    /// The offers whose signatures are asked about, with their limits and the subscription that decides, by which a
    /// customer without account is counted.
    package let offers: [(offer: OfferRequest, limit: SignatureLimit, originalTransactionId: String?)]
    /// The subscriptions that are asked about, by their original transaction identifiers.
    package let originalTransactionIds: [String]
    /// The other identifiers of subscriptions that have had several, by the one that is asked about.
    package var otherIds: [String: [String]] = [:]

    /// Creates a question.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment that the evidence is from.
    ///   - customer: The customer for limits.
    ///   - now: The server's clock.
    ///   - offers: The offers whose signatures are asked about.
    ///   - originalTransactionIds: The subscriptions that are asked about.
    package init(
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

    /// The same question about a customer who is known to have an account.
    ///
    /// - Parameter account: The account; `nil` for none.
    /// - Returns: The question.
    func counting(_ account: AccountDigest?) -> LedgerQuestion {
        var question = self
        question.knownAccount = account
        return question
    }

    /// Equal in everything asked.
    package static func == (left: LedgerQuestion, right: LedgerQuestion) -> Bool {
        left.bundleId == right.bundleId && left.environment == right.environment && left.customer == right.customer
            && left.knownAccount == right.knownAccount
            && left.now == right.now && left.otherIds == right.otherIds
            && left.originalTransactionIds == right.originalTransactionIds
            && left.offers.elementsEqual(right.offers) { $0 == $1 }
    }
}

/// The answer to a ``LedgerQuestion``: counts of a customer, which decisions look at beside the evidence.
package struct LedgerAnswer: Equatable, Sendable {
    /// The accounts for which a subscription was presented.
    package struct Presentations: Equatable, Sendable {
        /// How many other customers it was presented for within the period.
        package let others: Int
        /// Whether it was presented for this customer within the period.
        package let isKnown: Bool

        /// Creates the counts.
        ///
        /// - Parameters:
        ///   - others: How many other customers it was presented for.
        ///   - isKnown: Whether it was presented for this customer.
        package init(others: Int, isKnown: Bool) {
            self.others = others
            self.isKnown = isKnown
        }

        /// Whether it may be presented for this customer.
        ///
        /// - Parameter maximum: For how many customers it may be presented.
        /// - Returns: `false` when others have used it up.
        package func allows(_ maximum: Int) -> Bool { isKnown || others < maximum }
    }

    /// How many signatures of an offer the customer got within the offer's period.
    package var signatures: [OfferRequest: Int]
    /// The accounts for which each subscription was presented, by its original transaction identifier; none where the
    /// request names nobody and no account was refused.
    package var presentations: [String: Presentations]

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - signatures: How many signatures of an offer the customer got.
    ///   - presentations: The accounts for which each subscription was presented.
    package init(signatures: [OfferRequest: Int] = [:], presentations: [String: Presentations] = [:]) {
        self.signatures = signatures
        self.presentations = presentations
    }
}

/// When evidence counts as shared: one original transaction presented for more accounts than the catalog allows.
///
/// The real abuse is one leaked transaction replayed for thousands of accounts. The account that genuine evidence names
/// is never counted, and never refused. Once an account was refused, a request without an account is, too.
package enum EvidenceSharing {
    /// The period within which accounts are counted, in days of 24 hours.
    package static let periodDays = 30
    /// How many accounts may use a transaction where the catalog does not say.
    package static let defaultMaximumAccounts = 3

    /// The beginning of the period in which presentations count.
    ///
    /// - Parameter now: The server's clock.
    /// - Returns: The moment after which they count.
    package static func start(at now: Timestamp) -> Timestamp { now.adding(days: -periodDays) }
}
