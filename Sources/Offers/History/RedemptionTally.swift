/// A customer's redemptions of each promotional offer, as far as the evidence shows, and those on record beside it.
///
/// A redemption is a purchase of a subscription under the offer, with the renewals that the offer covers, too
/// (``RedemptionRun``). An offer that the next renewal falls under is redeemed already, though no transaction shows it
/// yet. Refunded and upgraded transactions count: the offer was used. Copies of one purchase are one, whether they are
/// in the evidence or on record.
///
/// All offers are counted in one pass: evidence of thousands of transactions may be sent for a hundred offers.
package final class RedemptionTally: Sendable {
    private struct Place: Hashable {
        let groupId: String
        let offerId: String
    }

    /// Runs do not go from group to group.
    private struct Line: Hashable {
        let groupId: String
        let originalTransactionId: String
    }

    private let counts: [Place: Int]

    package init(_ history: SubscriptionHistory, of app: App) {
        var counts: [Place: Int] = [:]
        var counted: Set<String> = []
        if !history.otherRedemptions.isEmpty {
            counted = Set(
                (history.transactions + history.recordedTransactions).lazy
                    .filter { $0.isOwnPurchase && $0.offer?.catalogId != nil }.compactMap(\.webOrderLineItemId)
            )
        }
        for redemption in history.otherRedemptions {
            // Of copies with several original identifiers one counts.
            if let item = redemption.webOrderLineItemId, !counted.insert(item).inserted { continue }
            let group = app.product(redemption.productId)?.group.id ?? redemption.subscriptionGroupIdentifier
            if let group { counts[Place(groupId: group, offerId: redemption.offerId), default: 0] += 1 }
        }
        // Most customers never redeemed an offer: then there is nothing to sort.
        if history.namesPromotionalOffer { Self.count(history, of: app, into: &counts) }
        self.counts = counts
    }

    package func redemptions(ofOffer offerId: String, inGroup groupId: String) -> Int {
        counts.isEmpty ? 0 : counts[Place(groupId: groupId, offerId: offerId)] ?? 0
    }

    private static func count(_ history: SubscriptionHistory, of app: App, into counts: inout [Place: Int]) {
        var runs: [Line: RedemptionRun] = [:]
        for purchase in (history.transactions + history.recordedTransactions).ownPurchases {
            guard let group = history.groupIdentifier(of: purchase, in: app) else { continue }
            let line = Line(groupId: group, originalTransactionId: purchase.originalTransactionId)
            guard runs[line, default: RedemptionRun()].turns(at: purchase), let offerId = runs[line]?.offerId
            else { continue }
            counts[Place(groupId: group, offerId: offerId), default: 0] += 1
        }
        let renewals = history.renewals ?? []
        guard renewals.contains(where: { $0.offer?.catalogId != nil }) else { return }
        for holding in Holdings(history, of: app).all {
            guard let entry = holding.entry, let offerId = renewals[entry].offer?.catalogId, let group = holding.group,
                holding.newest.map({ history.transactions[$0].isOwnPurchase }) ?? true
            else { continue }
            let run = renewals[entry].originalTransactionId.flatMap {
                runs[Line(groupId: group, originalTransactionId: $0)]
            }
            if run?.offerId != offerId { counts[Place(groupId: group, offerId: offerId), default: 0] += 1 }
        }
    }
}

extension SubscriptionHistory {
    fileprivate var namesPromotionalOffer: Bool {
        transactions.contains { $0.offer?.catalogId != nil }
            || recordedTransactions.contains { $0.offer?.catalogId != nil }
            || renewals?.contains { $0.offer?.catalogId != nil } ?? false
    }
}

/// Finds where redemptions of promotional offers begin among the transactions of a subscription, the oldest first.
///
/// A pay-as-you-go offer names itself on each renewal that it covers: those are one redemption. A customer who bought
/// again under the same offer has redeemed it again. If the evidence does not say which of the two it was, as
/// verifyReceipt never does, a renewal begins when the time before it ends; a little later, where Apple took as long to
/// be paid. A refund ends a run: a purchase after it renews nothing.
struct RedemptionRun {
    /// The promotional offer of the last purchase; `nil` where it had none.
    private(set) var offerId: String?
    /// The last purchase under an offer.
    private var last: Transaction?

    /// Whether the next of the customer's own purchases is under another offer than the last one, or bought anew.
    mutating func turns(at purchase: Transaction) -> Bool {
        let offerId = purchase.offer?.catalogId
        let turns = offerId != self.offerId || offerId != nil && last.map { purchase.isBoughtAnew(after: $0) } ?? true
        self.offerId = offerId
        // Only purchases under an offer are asked about.
        if offerId != nil { last = purchase }
        return turns
    }
}

extension Transaction {
    /// From the end of the paid time to a renewal: three days, and an eighth of the paid time at most, which is short
    /// in the sandbox.
    private static let longestPauseSeconds: Int64 = 3 * 86_400

    fileprivate func isBoughtAnew(after last: Transaction) -> Bool {
        guard !isSamePurchase(as: last) else { return false }
        if let reason { return reason == .purchase }
        guard let bought = purchaseDate else { return false }
        // A purchase that an upgrade replaced was not given back.
        if let revocation = last.revocationDate, !last.isUpgraded, bought > revocation { return true }
        guard let end = last.expiresDate else { return false }
        return bought > end.adding(seconds: last.longestPauseSeconds(before: end))
    }

    private func longestPauseSeconds(before end: Timestamp) -> Int64 {
        guard let purchaseDate else { return Self.longestPauseSeconds }
        let (paid, overflow) = end.millisecondsSince1970
            .subtractingReportingOverflow(purchaseDate.millisecondsSince1970)
        return overflow ? Self.longestPauseSeconds : min(Self.longestPauseSeconds, max(paid, 0) / 8000)
    }
}

extension RedemptionRun {
    /// The first transaction of each redemption in one subscription, as far as redemptions need it.
    ///
    /// Each ends where the last purchase does that the offer covers.
    static func whole(in transactions: [Transaction]) -> [Transaction] {
        var run = RedemptionRun()
        var found: [Transaction] = []
        for purchase in transactions.ownPurchases {
            let turns = run.turns(at: purchase)
            guard run.offerId != nil else { continue }
            if turns {
                var first = Transaction(
                    originalTransactionId: purchase.originalTransactionId,
                    productId: purchase.productId,
                    subscriptionGroupIdentifier: purchase.subscriptionGroupIdentifier,
                    purchaseDate: purchase.purchaseDate,
                    expiresDate: purchase.expiresDate,
                    offer: purchase.offer,
                    transactionId: purchase.transactionId
                )
                first.webOrderLineItemId = purchase.webOrderLineItemId
                found.append(first)
            } else if let end = purchase.expiresDate, !found.isEmpty {
                found[found.count - 1].expiresDate = found[found.count - 1].expiresDate.map { max($0, end) } ?? end
            }
        }
        return found
    }
}
