import Offers

/// Finds the signature in the ledger that made a redemption possible: the newest before the purchase, of the same app,
/// product and offer, that was signed for the same account or decided by the same subscription.
///
/// The redemptions of a subscription are matched anew, the oldest first, whenever one is learnt: so the outcome does not
/// depend on the order in which they became known.
struct RedemptionMatch {
    /// A signature's record.
    struct Signature: Equatable, Sendable {
        let writer: String
        let number: Int64
        let time: Int64
    }

    /// A question for the newest signature; ``originalTransactionId`` is `nil` where the customer says enough.
    struct Question: Equatable, Sendable {
        let customer: [UInt8]
        let originalTransactionId: String?
    }

    /// What the ledger is to be asked; the newest of the answers counts.
    let questions: [Question]

    /// Prepares to match the redemptions of a subscription.
    ///
    /// - Parameters:
    ///   - held: The subscription.
    ///   - digestKey: The key of the ledger's digests.
    init(_ held: HeldSubscription, digestKey: DigestKey) {
        let id = held.identity.originalTransactionId
        let nobody = digestKey.digest(
            customer: nil,
            originalTransactionId: id,
            bundleId: held.identity.bundleId
        )
        questions =
            [Question(customer: nobody, originalTransactionId: id)]
            + held.accounts.keys.map { Question(customer: $0.bytes, originalTransactionId: nil) }
            // A customer has many accounts: which of them it was, the subscription says.
            + Set(held.customers.values).map { Question(customer: $0.bytes, originalTransactionId: id) }
    }

    /// The newest of some signatures.
    ///
    /// - Parameter found: The signatures.
    /// - Returns: The newest; `nil` when there is none.
    static func newest(of found: [Signature]) -> Signature? {
        found.max { ($0.time, $0.writer, $0.number) < ($1.time, $1.writer, $1.number) }
    }

    /// Whether redemptions have to be written, and matched, anew.
    ///
    /// - Parameters:
    ///   - held: The subscription as it is now.
    ///   - before: As it was; `nil` when nothing was held.
    /// - Returns: Whether there are other redemptions than before, or other accounts that may have got the signatures.
    static func isDue(_ held: HeldSubscription, since before: HeldSubscription?) -> Bool {
        let redemptions = held.redemptions
        guard redemptions == before?.redemptions ?? [] else { return true }
        return !redemptions.isEmpty
            && (Set(held.accounts.keys) != Set((before?.accounts ?? [:]).keys) || held.customers != before?.customers)
    }
}
