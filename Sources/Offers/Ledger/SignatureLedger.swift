/// The ledger of signatures: the port to storage.
///
/// What it says is recorded is on durable storage. Limits are checked in the same transaction that writes, so that they
/// are exact, also when several services share a database.
public protocol SignatureLedger: Sendable {
    /// Queues entries, and says what became of them once they are on durable storage.
    ///
    /// It never blocks: where the queue is full or closed, it fails at once. Entries of one call are queued together and
    /// told together.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - completion: Called once, from any thread, maybe before this returns: for each entry the outcomes of its
    ///     grants, in their order; or why nothing of all may leave.
    func append(
        _ entries: [LedgerEntry],
        completion: @escaping @Sendable (Result<[[GrantOutcome]], LedgerFailure>) -> Void
    )

    /// Tells what the ledger holds of a customer now.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: The counts. They may have grown when an entry is appended: what counts then is its outcome.
    /// - Throws: ``LedgerFailure`` when the ledger cannot be read.
    func standing(of question: LedgerQuestion) async throws(LedgerFailure) -> LedgerStanding

    /// Tells what the ledger holds of a customer now, without waiting.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: The counts; `nil` where they have to be waited for.
    func standingAtHand(of question: LedgerQuestion) -> LedgerStanding?

    /// Whether evidence of a subscription was lately refused to somebody, as too many customers have shown it: then the
    /// ledger is asked before anything is signed or remembered.
    ///
    /// - Parameter subscription: The subscription.
    /// - Returns: `false` for most.
    func isSuspect(_ subscription: SubscriptionIdentity) -> Bool
}

extension SignatureLedger {
    /// Nothing is at hand.
    public func standingAtHand(of question: LedgerQuestion) -> LedgerStanding? { nil }

    /// Nothing is suspect.
    public func isSuspect(_ subscription: SubscriptionIdentity) -> Bool { false }

    /// Appends an entry, and waits until it is on durable storage.
    ///
    /// - Parameter entry: The entry.
    /// - Returns: The outcomes of its grants, in their order.
    /// - Throws: ``LedgerFailure`` when nothing of it may leave.
    public func append(_ entry: LedgerEntry) async throws(LedgerFailure) -> [GrantOutcome] {
        let result = await withCheckedContinuation { continuation in
            append([entry]) { continuation.resume(returning: $0) }
        }
        return try result.get().first ?? []
    }
}
