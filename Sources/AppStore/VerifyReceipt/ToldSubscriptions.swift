import Offers

/// What `latest_receipt_info` tells: which subscriptions, and which of their paid periods.
///
/// Of a few transactions each is looked at, which is the fastest; of many, sets are made once.
struct ToldSubscriptions {
    /// How many transactions are few.
    static let fewTransactions = 16

    private struct Period: Hashable {
        let subscription: String
        let end: Timestamp
    }

    private let transactions: [Transaction]
    private let isIndexed: Bool
    private let subscriptions: Set<String>
    private let periods: Set<Period>

    /// Looks at a list.
    ///
    /// - Parameter transactions: The transactions of `latest_receipt_info`.
    init(_ transactions: [Transaction]) {
        self.transactions = transactions
        isIndexed = transactions.count > Self.fewTransactions
        subscriptions = isIndexed ? Set(transactions.map(\.originalTransactionId)) : []
        periods =
            isIndexed
            ? Set(transactions.compactMap { item in item.expiresDate.map { Self.period(of: item, endingAt: $0) } }) : []
    }

    /// Whether the list has a transaction of another one's subscription.
    ///
    /// - Parameter other: A transaction of the receipt.
    /// - Returns: `true` when it has.
    func hasSubscription(of other: Transaction) -> Bool {
        guard isIndexed else {
            return transactions.contains { $0.originalTransactionId == other.originalTransactionId }
        }
        return subscriptions.contains(other.originalTransactionId)
    }

    /// Whether the list tells of another one's subscription, but not of the period that it paid for.
    ///
    /// - Parameter other: A transaction of the receipt.
    /// - Returns: `true` when it lacks the period; `false` for a transaction that paid for none.
    func lacksPeriod(of other: Transaction) -> Bool {
        guard let end = other.expiresDate, hasSubscription(of: other) else { return false }
        guard isIndexed else {
            return !transactions.contains {
                $0.expiresDate == end && $0.originalTransactionId == other.originalTransactionId
            }
        }
        return !periods.contains(Self.period(of: other, endingAt: end))
    }

    private static func period(of transaction: Transaction, endingAt end: Timestamp) -> Period {
        Period(subscription: transaction.originalTransactionId, end: end)
    }
}
