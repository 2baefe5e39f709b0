/// Tells where redemptions of promotional offers begin among the transactions of a subscription, the oldest first.
///
/// A pay-as-you-go offer names itself on each renewal that it covers: those are one redemption. Who bought again under the
/// same offer has redeemed it again. Where the evidence does not say which of the two it was, as verifyReceipt never does,
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
        // What an upgrade replaced was not given back.
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
    ///
    /// - Parameter transactions: The transactions, in any order.
    /// - Returns: The redemptions, the oldest first.
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
