import Synchronization

/// What is the same for every decision of one request.
///
/// A reference, as every rule is handed it: copying the values in it for each would take longer than the rules.
final class RequestFacts: Sendable {
    let app: App
    let account: Account
    /// What the evidence says; `nil` when there is none.
    let history: SharedHistory?
    /// What of it can be the account's own.
    let ownHistory: SharedHistory?
    /// What the ledger holds of the customer; `nil` where it was not asked.
    let standing: LedgerStanding?
    /// The server's clock.
    let now: Timestamp
    /// How old evidence may be, in seconds; 0 for no limit.
    let maximumEvidenceAgeSeconds: Int64
    /// How old held state may be, in seconds; 0 for no limit.
    let maximumHeldAgeSeconds: Int64

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
        maximumHeldAgeSeconds: Int64
    ) {
        self.app = app
        self.account = customer.account
        self.history = customer.history
        ownHistory = customer.history.map { history in
            history.value.leavingOutOthers(than: customer.account).map { SharedHistory($0) } ?? history
        }
        self.standing = customer.standing
        self.now = now
        self.maximumEvidenceAgeSeconds = maximumEvidenceAgeSeconds
        self.maximumHeldAgeSeconds = maximumHeldAgeSeconds
        tally = Mutex(nil)
    }

    /// The same facts, with what the ledger holds.
    init(_ facts: RequestFacts, hearing standing: LedgerStanding) {
        app = facts.app
        account = facts.account
        history = facts.history
        ownHistory = facts.ownHistory
        self.standing = standing
        now = facts.now
        maximumEvidenceAgeSeconds = facts.maximumEvidenceAgeSeconds
        maximumHeldAgeSeconds = facts.maximumHeldAgeSeconds
        tally = Mutex(facts.countedRedemptions)
    }
}
