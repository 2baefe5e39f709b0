/// The ledger of signatures: the port to storage.
///
/// A recorded signature is on durable storage. Limits are checked in the same transaction that writes, so that they are
/// exact, also when several services share a database.
package protocol SignatureLedger: Sendable {
    /// Queues entries, and reports their outcomes once they are on durable storage.
    ///
    /// It never blocks: if the queue is full or closed, it fails at once. `completion` is called from any thread, maybe
    /// before this returns: mostly once, for all entries, and for each entry once. It gets the places of entries and the
    /// outcomes of each one's grants, in their order; on a failure no signature of these may leave.
    func append(
        _ entries: [LedgerEntry],
        completion: @escaping @Sendable (_ places: [Int], Result<[[GrantOutcome]], StorageFailure>) -> Void
    )

    /// The counts may grow before an entry is appended; then the outcome of the entry decides.
    func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer

    /// `nil` where the counts have to be waited for.
    func answerAtHand(to question: LedgerQuestion) -> LedgerAnswer?

    /// Whether evidence of a subscription was refused recently because too many customers have shown it.
    ///
    /// If so, the ledger is asked before anything is signed or remembered.
    func isSuspect(_ subscription: SubscriptionIdentity) -> Bool

    /// The outcome of a call that was answered a short while ago; `nil` where none is on record.
    func storedAnswer(to call: AnsweredCall, at now: Timestamp) -> Step<GrantOutcome?, StorageFailure>
}

extension SignatureLedger {
    package func answerAtHand(to question: LedgerQuestion) -> LedgerAnswer? { nil }

    package func isSuspect(_ subscription: SubscriptionIdentity) -> Bool { false }

    package func storedAnswer(to call: AnsweredCall, at now: Timestamp) -> Step<GrantOutcome?, StorageFailure> {
        .now(nil)
    }

    /// Waits for the outcomes of the grants, in their order; when it throws, nothing of the entry may leave.
    package func append(_ entry: LedgerEntry) async throws(StorageFailure) -> [GrantOutcome] {
        let result = await withCheckedContinuation { continuation in
            append([entry]) { continuation.resume(returning: $1) }
        }
        return try result.get().first ?? []
    }
}

/// A question to the ledger about a customer.
package struct LedgerQuestion: Sendable {
    package let bundleId: String
    /// The environment of the evidence.
    package let environment: AppStoreEnvironment?
    /// The customer for limits; `nil` when the request names no account.
    package let customer: String?
    /// The customer's account if the question names none; `nil` if it is not known.
    package var knownAccount: AccountDigest?
    /// The customer's digest where the name is not known; it takes the place of ``customer``.
    package var customerDigest: AccountDigest?
    package let now: Timestamp
    /// The offers with their limits, and the subscription that decides, by which a customer without account is counted.
    package let offers: [(offer: OfferRequest, limit: SignatureLimit, originalTransactionId: String?)]
    package let originalTransactionIds: [String]
    /// For subscriptions that have had several, by the identifier that is asked about.
    package var otherIds: [String: [String]] = [:]

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
}

/// The answer to a ``LedgerQuestion``: counts of a customer, which decisions look at beside the evidence.
package struct LedgerAnswer: Equatable, Sendable {
    /// The accounts for which a subscription was presented within the period.
    package struct Presentations: Equatable, Sendable {
        /// How many other customers it was presented for.
        package let others: Int
        /// Whether it was presented for this customer.
        package let isKnown: Bool

        package init(others: Int, isKnown: Bool) {
            self.others = others
            self.isKnown = isKnown
        }

        /// `false` when other customers have used it up.
        package func allows(_ maximum: Int) -> Bool { isKnown || others < maximum }
    }

    /// Within each offer's period.
    package var signatures: [OfferRequest: Int]
    /// By original transaction identifier; none where the request names nobody and no account was refused.
    package var presentations: [String: Presentations]

    package init(signatures: [OfferRequest: Int] = [:], presentations: [String: Presentations] = [:]) {
        self.signatures = signatures
        self.presentations = presentations
    }

    /// Whether it can refuse nothing: no decision differs from one that was made without it.
    package var isSilent: Bool {
        signatures.values.allSatisfy { $0 == 0 } && presentations.values.allSatisfy { $0.isKnown || $0.others == 0 }
    }
}

/// Evidence counts as shared when one original transaction is presented for more accounts than the catalog allows.
///
/// The real abuse is one leaked transaction replayed for thousands of accounts. The account that genuine evidence names
/// is never counted, and never refused. Once an account was refused, a request without an account is, too.
package enum EvidenceSharing {
    /// In days of 24 hours.
    package static let periodDays = 30
    /// How many accounts may use a transaction where the catalog does not say.
    package static let defaultMaximumAccounts = 3

    /// The moment after which presentations count.
    package static func start(at now: Timestamp) -> Timestamp { now.adding(days: -periodDays) }
}
