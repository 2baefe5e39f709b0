/// How many times a customer has redeemed each promotional offer, as far as the evidence shows, and what is on record
/// beside it.
///
/// A redemption is a purchase of a subscription under the offer, with the renewals that the offer covers, too
/// (``RedemptionRun``). An offer that the next renewal falls under is redeemed already, though no transaction
/// shows it yet. Refunded and upgraded transactions count: the offer was used. A transaction that is in the evidence
/// and on record is one.
///
/// All offers are counted in one pass: evidence of thousands of transactions may be sent for a hundred offers.
public final class RedemptionTally: Sendable {
    private struct Place: Hashable {
        let groupId: String
        let offerId: String
    }

    /// The purchases of a subscription in one group: runs do not go from group to group.
    private struct Line: Hashable {
        let groupId: String
        let originalTransactionId: String
    }

    /// A transaction that counts, by its place in the list.
    private struct Purchase {
        let index: Int
        let groupId: String
    }

    private let counts: [Place: Int]

    /// Counts.
    ///
    /// - Parameters:
    ///   - history: What the evidence says.
    ///   - app: The app of the catalog, which knows the groups of its products.
    public init(_ history: SubscriptionHistory, of app: App) {
        var counts: [Place: Int] = [:]
        for redemption in history.otherRedemptions {
            let group = app.product(redemption.productId)?.group.id ?? redemption.subscriptionGroupIdentifier
            if let group { counts[Place(groupId: group, offerId: redemption.offerId), default: 0] += 1 }
        }
        // Most customers never redeemed an offer: then there is nothing to sort.
        if history.namesPromotionalOffer { Self.count(history, of: app, into: &counts) }
        self.counts = counts
    }

    /// How many times an offer was redeemed in a group.
    ///
    /// - Parameters:
    ///   - offerId: The promotional offer's identifier.
    ///   - groupId: The group's identifier.
    /// - Returns: The number of redemptions.
    public func redemptions(ofOffer offerId: String, inGroup groupId: String) -> Int {
        counts.isEmpty ? 0 : counts[Place(groupId: groupId, offerId: offerId)] ?? 0
    }

    private static func count(_ history: SubscriptionHistory, of app: App, into counts: inout [Place: Int]) {
        let transactions = history.transactionsWithRecord
        var runs: [Line: RedemptionRun] = [:]
        for purchase in purchases(among: transactions, history, of: app) {
            let transaction = transactions[purchase.index]
            let line = Line(groupId: purchase.groupId, originalTransactionId: transaction.originalTransactionId)
            guard runs[line, default: RedemptionRun()].turns(at: transaction), let offerId = runs[line]?.offerId
            else { continue }
            counts[Place(groupId: purchase.groupId, offerId: offerId), default: 0] += 1
        }
        let renewals = history.renewals ?? []
        guard renewals.contains(where: { $0.offer?.catalogId != nil }) else { return }
        let lookup = EntryLookup(history, of: app)
        for renewal in renewals {
            guard let offerId = renewal.offer?.catalogId, let group = lookup.group(of: renewal) else { continue }
            let run = renewal.originalTransactionId.flatMap { runs[Line(groupId: group, originalTransactionId: $0)] }
            if run?.offerId != offerId { counts[Place(groupId: group, offerId: offerId), default: 0] += 1 }
        }
    }

    /// The transactions that count, the oldest first.
    private static func purchases(
        among transactions: [Transaction],
        _ history: SubscriptionHistory,
        of app: App
    ) -> [Purchase] {
        var purchases: [Purchase] = []
        for (index, transaction) in transactions.enumerated() where !transaction.isFamilyShared {
            guard let group = history.groupIdentifier(of: transaction, in: app) else { continue }
            purchases.append(Purchase(index: index, groupId: group))
        }
        // Indices avoid copies: copying a transaction takes longer than looking at it.
        purchases.sort { Transaction.isOlder(transactions[$0.index], transactions[$1.index]) }
        return purchases
    }
}

extension SubscriptionHistory {
    /// Whether anything in it is under a promotional offer.
    fileprivate var namesPromotionalOffer: Bool {
        transactions.contains { $0.offer?.catalogId != nil }
            || recordedTransactions.contains { $0.offer?.catalogId != nil }
            || renewals?.contains { $0.offer?.catalogId != nil } ?? false
    }

    /// The transactions, with those on record beside them; of two copies what either says of the offer and the reason.
    fileprivate var transactionsWithRecord: [Transaction] {
        guard !recordedTransactions.isEmpty else { return transactions }
        var all = transactions
        for recorded in recordedTransactions {
            if let index = all.firstIndex(where: recorded.isCopy) {
                if all[index].offer?.catalogId == nil { all[index].offer = recorded.offer }
                if all[index].reason == nil { all[index].reason = recorded.reason }
            } else {
                all.append(recorded)
            }
        }
        return all
    }
}

/// Finds where redemptions of promotional offers begin among the transactions of a subscription, the oldest first.
///
/// A pay-as-you-go offer names itself on each renewal that it covers: those are one redemption. Who bought again under the
/// same offer has redeemed it again. If the evidence does not say which of the two it was, as verifyReceipt never does,
/// a renewal begins when the time before it ends; a little later, where Apple took as long to be paid. A refund ends a run:
/// what is bought after it is no renewal of what was given back.
struct RedemptionRun {
    /// How long after the paid time a renewal may begin, in seconds: three days, and an eighth of the paid time at most,
    /// which is short in the sandbox.
    private static let longestPauseSeconds: Int64 = 3 * 86_400

    /// The promotional offer of the last transaction; `nil` where it had none.
    private(set) var offerId: String?
    private var transactionId: String?
    private var purchaseDate: Timestamp?
    private var expiresDate: Timestamp?
    private var revocationDate: Timestamp?

    /// Takes the next transaction.
    ///
    /// - Parameter transaction: The transaction: none that is shared.
    /// - Returns: Whether it is not under the same offer as the last one, or is, but was bought anew.
    mutating func turns(at transaction: Transaction) -> Bool {
        let offerId = transaction.offer?.catalogId
        let turns = offerId != self.offerId || offerId != nil && isBoughtAnew(transaction)
        self.offerId = offerId
        // Only what is under an offer is asked about.
        guard offerId != nil else { return turns }
        transactionId = transaction.transactionId
        purchaseDate = transaction.purchaseDate
        expiresDate = transaction.expiresDate
        // A purchase that an upgrade replaced was not given back.
        revocationDate = transaction.isUpgraded ? nil : transaction.revocationDate
        return turns
    }

    private func isBoughtAnew(_ transaction: Transaction) -> Bool {
        guard !isCopy(transaction) else { return false }
        if let reason = transaction.reason { return reason == .purchase }
        guard let bought = transaction.purchaseDate else { return false }
        if let revocationDate, bought > revocationDate { return true }
        guard let expiresDate else { return false }
        return bought > expiresDate.adding(seconds: longestPause(before: expiresDate))
    }

    private func isCopy(_ transaction: Transaction) -> Bool {
        guard let transactionId, let other = transaction.transactionId else {
            return purchaseDate == transaction.purchaseDate
        }
        return transactionId == other
    }

    private func longestPause(before expiresDate: Timestamp) -> Int64 {
        guard let purchaseDate else { return Self.longestPauseSeconds }
        let (paid, overflow) = expiresDate.millisecondsSince1970
            .subtractingReportingOverflow(purchaseDate.millisecondsSince1970)
        return overflow ? Self.longestPauseSeconds : min(Self.longestPauseSeconds, max(paid, 0) / 8000)
    }
}

extension RedemptionRun {
    /// The redemptions among transactions of one subscription: of each the first transaction, as far as redemptions need it,
    /// which ends where the last one does that the offer covers.
    static func whole(in transactions: [Transaction]) -> [Transaction] {
        var run = RedemptionRun()
        var found: [Transaction] = []
        for transaction in transactions.sorted(by: Transaction.isOlder) where !transaction.isFamilyShared {
            let turns = run.turns(at: transaction)
            guard run.offerId != nil else { continue }
            if turns {
                found.append(
                    Transaction(
                        originalTransactionId: transaction.originalTransactionId,
                        productId: transaction.productId,
                        subscriptionGroupIdentifier: transaction.subscriptionGroupIdentifier,
                        purchaseDate: transaction.purchaseDate,
                        expiresDate: transaction.expiresDate,
                        offer: transaction.offer,
                        transactionId: transaction.transactionId
                    )
                )
            } else if let end = transaction.expiresDate, !found.isEmpty {
                found[found.count - 1].expiresDate = found[found.count - 1].expiresDate.map { max($0, end) } ?? end
            }
        }
        return found
    }
}
