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

    /// `nil` where nobody is held out.
    let draw: (any HoldoutDraw)?
    /// ``Customer/knownAccount``.
    let knownAccount: AccountDigest?

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

    private let tally = Mutex<RedemptionTally?>(nil)

    init(
        app: App,
        customer: Customer,
        now: Timestamp,
        maximumEvidenceAgeSeconds: Int64,
        maximumHeldAgeSeconds: Int64,
        countsPaidTime: Bool = false,
        draw: (any HoldoutDraw)? = nil
    ) {
        self.app = app
        account = customer.account
        history = customer.history
        ownHistory = customer.history.map { Self.own($0, of: customer.account) }
        ledgerAnswer = nil
        self.now = now
        self.maximumEvidenceAgeSeconds = maximumEvidenceAgeSeconds
        self.maximumHeldAgeSeconds = maximumHeldAgeSeconds
        self.countsPaidTime = countsPaidTime
        self.draw = draw
        knownAccount = customer.knownAccount
    }

    /// The same facts with the ledger's counts, or with a part of the history alone.
    init(_ facts: RequestFacts, answer: LedgerAnswer? = nil, history part: SharedHistory? = nil) {
        app = facts.app
        account = facts.account
        history = part ?? facts.history
        ownHistory = part.map { Self.own($0, of: facts.account) } ?? facts.ownHistory
        ledgerAnswer = answer ?? facts.ledgerAnswer
        now = facts.now
        maximumEvidenceAgeSeconds = facts.maximumEvidenceAgeSeconds
        maximumHeldAgeSeconds = facts.maximumHeldAgeSeconds
        countsPaidTime = facts.countsPaidTime
        draw = facts.draw
        knownAccount = facts.knownAccount
    }

    private static func own(_ history: SharedHistory, of account: Account) -> SharedHistory {
        history.value.leavingOutOthers(than: account).map { SharedHistory($0) } ?? history
    }
}

/// The customer that a decision is about.
package struct Customer: Sendable {
    /// The account to sign for.
    package let account: Account
    /// `nil` without evidence.
    package let history: SharedHistory?
    /// The account that has the subscription, where Apple asks and names none.
    let knownAccount: AccountDigest?

    package init(account: Account, history: SubscriptionHistory?, knownAccount: AccountDigest? = nil) {
        self.init(account: account, sharing: history.map { SharedHistory($0) }, knownAccount: knownAccount)
    }

    package init(account: Account, sharing history: SharedHistory?, knownAccount: AccountDigest? = nil) {
        self.account = account
        self.history = history
        self.knownAccount = knownAccount
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
