import Synchronization

/// The facts that are the same for every decision of one request.
///
/// A reference, as every rule is handed it: copying the values in it for each would take longer than the rules.
final class RequestFacts: Sendable {
    let app: App
    let account: Account
    /// The history by the evidence; `nil` when there is none.
    let history: SharedHistory?
    /// What of it can be the account's own.
    let ownHistory: SharedHistory?
    /// The customer's status in the ledger; `nil` if it was not asked.
    let ledgerAnswer: LedgerAnswer?
    /// The server's clock.
    let now: Timestamp
    /// How old evidence may be, in seconds; 0 for no limit.
    let maximumEvidenceAgeSeconds: Int64
    /// How old held state may be, in seconds; 0 for no limit.
    let maximumHeldAgeSeconds: Int64
    /// Whether what is known of a subscription counts at any age while its paid time runs.
    let countsPaidTime: Bool

    /// How often the customer has redeemed each offer, as far as the evidence shows: counted when the first offer asks,
    /// for all of them at once; `nil` without evidence.
    var redemptions: RedemptionTally? {
        guard let history else { return nil }
        return tally.withLock { tally in
            if let tally { return tally }
            let counted = RedemptionTally(history.value, of: app)
            tally = counted
            return counted
        }
    }

    /// The same as ``redemptions`` where an offer has asked; `nil` where none has yet.
    var countedRedemptions: RedemptionTally? { tally.withLock { $0 } }

    private let tally: Mutex<RedemptionTally?>

    init(
        app: App,
        customer: Customer,
        now: Timestamp,
        maximumEvidenceAgeSeconds: Int64,
        maximumHeldAgeSeconds: Int64,
        countsPaidTime: Bool = false
    ) {
        self.app = app
        self.account = customer.account
        self.history = customer.history
        ownHistory = customer.history.map { history in
            history.value.leavingOutOthers(than: customer.account).map { SharedHistory($0) } ?? history
        }
        self.ledgerAnswer = customer.ledgerAnswer
        self.now = now
        self.maximumEvidenceAgeSeconds = maximumEvidenceAgeSeconds
        self.maximumHeldAgeSeconds = maximumHeldAgeSeconds
        self.countsPaidTime = countsPaidTime
        tally = Mutex(nil)
    }

    /// The same facts, with what the ledger holds.
    init(_ facts: RequestFacts, answer ledgerAnswer: LedgerAnswer) {
        app = facts.app
        account = facts.account
        history = facts.history
        ownHistory = facts.ownHistory
        self.ledgerAnswer = ledgerAnswer
        now = facts.now
        maximumEvidenceAgeSeconds = facts.maximumEvidenceAgeSeconds
        maximumHeldAgeSeconds = facts.maximumHeldAgeSeconds
        countsPaidTime = facts.countsPaidTime
        tally = Mutex(facts.countedRedemptions)
    }

    /// The same facts, by another history.
    convenience init(_ facts: RequestFacts, history: SharedHistory) {
        self.init(
            app: facts.app,
            customer: Customer(account: facts.account, sharing: history, ledgerAnswer: facts.ledgerAnswer),
            now: facts.now,
            maximumEvidenceAgeSeconds: facts.maximumEvidenceAgeSeconds,
            maximumHeldAgeSeconds: facts.maximumHeldAgeSeconds,
            countsPaidTime: facts.countsPaidTime
        )
    }
}

/// The customer that a decision is about: the account to sign for, and what the evidence says.
package struct Customer: Sendable {
    /// The account to sign for.
    package let account: Account
    /// The history by the evidence; `nil` when there is none.
    package let history: SharedHistory?
    /// The customer's status in the ledger; `nil` if it was not asked.
    package let ledgerAnswer: LedgerAnswer?

    /// Creates a customer.
    ///
    /// - Parameters:
    ///   - account: The account to sign for.
    ///   - history: What the evidence says; `nil` when there is none.
    ///   - ledgerAnswer: The customer's status in the ledger; `nil` if it was not asked.
    package init(account: Account, history: SubscriptionHistory?, ledgerAnswer: LedgerAnswer? = nil) {
        self.init(account: account, sharing: history.map { SharedHistory($0) }, ledgerAnswer: ledgerAnswer)
    }

    /// Creates a customer.
    ///
    /// - Parameters:
    ///   - account: The account to sign for.
    ///   - history: What the evidence says; `nil` when there is none.
    ///   - ledgerAnswer: The customer's status in the ledger; `nil` if it was not asked.
    package init(account: Account, sharing history: SharedHistory?, ledgerAnswer: LedgerAnswer? = nil) {
        self.account = account
        self.history = history
        self.ledgerAnswer = ledgerAnswer
    }
}

/// One offer that a client asks for.
package struct OfferRequest: Hashable, Sendable {
    /// The product to be bought.
    package let productId: String
    /// The promotional offer's identifier.
    package let offerId: String

    /// Creates a request for an offer.
    ///
    /// - Parameters:
    ///   - productId: The product to be bought.
    ///   - offerId: The promotional offer's identifier.
    package init(productId: String, offerId: String) {
        self.productId = productId
        self.offerId = offerId
    }
}
