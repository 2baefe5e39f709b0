import Synchronization

/// The facts that are the same for every decision of one request.
///
/// A reference, as every rule is handed it: copying the values in it for each would take longer than the rules.
final class RequestFacts: Sendable {
    let app: App
    let account: Account
    /// `nil` without evidence.
    let history: SharedHistory?
    /// The part of it that can be the account's own.
    let ownHistory: SharedHistory?
    /// `nil` if the ledger was not asked.
    let ledgerAnswer: LedgerAnswer?
    let now: Timestamp
    /// 0 for no limit, as in ``maximumHeldAgeSeconds``.
    let maximumEvidenceAgeSeconds: Int64
    let maximumHeldAgeSeconds: Int64
    /// Whether state of any age counts while its paid time runs.
    let countsPaidTime: Bool

    /// The customer's redemptions, as far as the evidence shows; `nil` without evidence.
    ///
    /// They are counted when the first offer asks, for all of them at once.
    var redemptions: RedemptionTally? {
        guard let history else { return nil }
        return tally.withLock { tally in
            if let tally { return tally }
            let counted = RedemptionTally(history.value, of: app)
            tally = counted
            return counted
        }
    }

    /// ``redemptions`` where an offer has asked; `nil` where none has yet.
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

/// The customer that a decision is about.
package struct Customer: Sendable {
    /// The account to sign for.
    package let account: Account
    /// `nil` without evidence.
    package let history: SharedHistory?
    /// `nil` if the ledger was not asked.
    package let ledgerAnswer: LedgerAnswer?

    package init(account: Account, history: SubscriptionHistory?, ledgerAnswer: LedgerAnswer? = nil) {
        self.init(account: account, sharing: history.map { SharedHistory($0) }, ledgerAnswer: ledgerAnswer)
    }

    package init(account: Account, sharing history: SharedHistory?, ledgerAnswer: LedgerAnswer? = nil) {
        self.account = account
        self.history = history
        self.ledgerAnswer = ledgerAnswer
    }
}

package struct OfferRequest: Hashable, Sendable {
    package let productId: String
    package let offerId: String

    package init(productId: String, offerId: String) {
        self.productId = productId
        self.offerId = offerId
    }
}
