/// A customer's redemptions of each promotional offer, as far as the evidence shows, and those on record beside it.
///
/// A redemption is a purchase of a subscription under the offer, with the renewals that the offer covers, too
/// (``RedemptionRun``). An offer that the next renewal falls under is redeemed already, though no transaction shows it
/// yet. Refunded and upgraded transactions count: the offer was used. Copies of one purchase are one, whether they are
/// in the evidence or on record.
///
/// All offers are counted in one pass: evidence of thousands of transactions may be sent for a hundred offers.
package struct RedemptionTally: Sendable {
    private struct Place: Hashable {
        let groupId: String
        let offerId: String
    }

    private var counts: [Place: Int] = [:]

    package init(_ book: Book, of app: App, at now: Timestamp) {
        // Most customers never redeemed an offer: then there is nothing to sort.
        let redeeming = book.chapters.filter(\.namesPromotionalOffer)
        if !book.redemptions.isEmpty {
            var counted = Set(
                redeeming.lazy.flatMap { $0.transactions.lazy.map(\.content) + $0.shown }
                    .filter { $0.isOwnPurchase && $0.offer?.catalogId != nil }.compactMap(\.webOrderLineItemId)
            )
            for redemption in book.redemptions {
                // Of copies with several original identifiers one counts.
                if let item = redemption.webOrderLineItemId, !counted.insert(item).inserted { continue }
                count(
                    redemption.offerId,
                    in: app.product(redemption.productId)?.group.id ?? redemption.subscriptionGroupIdentifier
                )
            }
        }
        guard !redeeming.isEmpty else { return }
        var runsOfIds: [String: [String: RedemptionRun]] = [:]
        for chapter in redeeming {
            // Entries that contradict each other have the same rows.
            if let id = chapter.id, runsOfIds[id] != nil { continue }
            var runs: [String: RedemptionRun] = [:]
            for purchase in (chapter.transactions.map(\.content) + chapter.shown).ownPurchases {
                // Runs do not go from group to group.
                guard let group = Book.group(of: purchase, in: app) else { continue }
                guard runs[group, default: RedemptionRun()].turns(at: purchase), let offer = runs[group]?.offerId else {
                    continue
                }
                count(offer, in: group)
            }
            if let id = chapter.id { runsOfIds[id] = runs }
        }
        guard redeeming.contains(where: { $0.renewal?.content?.offer?.catalogId != nil }) else { return }
        for subscription in Subscriptions(book, of: app, at: now).all {
            guard let offerId = subscription.renewal.offer?.catalogId, let group = subscription.group,
                subscription.transaction?.isOwnPurchase ?? true,
                subscription.originalTransactionId.flatMap({ runsOfIds[$0]?[group]?.offerId }) != offerId
            else { continue }
            count(offerId, in: group)
        }
    }

    package func redemptions(ofOffer offerId: String, inGroup groupId: String) -> Int {
        counts.isEmpty ? 0 : counts[Place(groupId: groupId, offerId: offerId)] ?? 0
    }

    private mutating func count(_ offerId: String, in groupId: String?) {
        if let groupId { counts[Place(groupId: groupId, offerId: offerId), default: 0] += 1 }
    }
}

extension Chapter {
    fileprivate var namesPromotionalOffer: Bool {
        !shown.isEmpty || renewal?.content?.offer?.catalogId != nil
            || transactions.contains { $0.content.offer?.catalogId != nil }
    }
}

/// Finds where redemptions of promotional offers begin among the transactions of a subscription, the oldest first.
///
/// A pay-as-you-go offer names itself on each renewal that it covers: those are one redemption. A free offer, and one that
/// is paid up front, is one period long: each purchase under it is a redemption. If the evidence does not say which it was,
/// as verifyReceipt does only of free ones, a renewal begins when the time before it ends; a little later, where Apple took
/// as long to be paid. A refund ends a run: a purchase after it renews nothing.
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
    private static let longestPauseMilliseconds: Int64 = 3 * 86_400_000

    fileprivate func isBoughtAnew(after last: Transaction) -> Bool {
        guard !isSamePurchase(as: last) else { return false }
        if isFree == true || isPaidUpFront { return true }
        if let reason { return reason == .purchase }
        guard let bought = purchaseDate else { return false }
        // A purchase that an upgrade replaced was not given back.
        if let revocation = last.revocationDate, !last.isUpgraded, bought > revocation { return true }
        guard let end = last.expiresDate else { return false }
        return bought > end.adding(milliseconds: last.longestPauseMilliseconds(before: end))
    }

    func longestPauseMilliseconds(before end: Timestamp) -> Int64 {
        guard let purchaseDate else { return Self.longestPauseMilliseconds }
        let (paid, overflow) = end.millisecondsSince1970
            .subtractingReportingOverflow(purchaseDate.millisecondsSince1970)
        return overflow ? Self.longestPauseMilliseconds : min(Self.longestPauseMilliseconds, max(paid, 0) / 8000 * 1000)
    }
}

extension RedemptionRun {
    /// The first transaction of each redemption in one subscription, as far as redemptions need it.
    ///
    /// Each ends where the last purchase does that the offer covers, and is revoked where that is.
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
                first.isFree = purchase.isFree
                found.append(first)
            }
            guard let last = found.indices.last else { continue }
            if !turns, let end = purchase.expiresDate {
                found[last].expiresDate = found[last].expiresDate.map { max($0, end) } ?? end
            }
            // A renewal that was charged ahead, and revoked before it begins, is no new purchase after its own refund.
            let revocation = purchase.isUpgraded ? nil : purchase.revocationDate
            found[last].revocationDate = revocation.map { max($0, purchase.purchaseDate ?? $0) }
        }
        return found
    }
}
