import Offers

/// The transactions of `latest_receipt_info` and of `receipt.in_app` (or of an iOS 6 style receipt) as one history.
///
/// Both lists name a transaction by its `transaction_id`. The receipt is a snapshot with fewer members, and Apple leaves
/// transactions out of either list: so neither of them may hide a purchase, a refund or a redemption that the other has.
struct JoinedTransactions {
    /// How many transactions are few.
    ///
    /// Of a few each is compared with each, which is the fastest; of many a dictionary is made.
    static let fewTransactions = 16

    /// All of them: first those of `latest_receipt_info`.
    private(set) var transactions: [Transaction]
    /// Whether the receipt has a paid period of a subscription that `latest_receipt_info` has without it: the answer to
    /// `exclude-old-transactions` has the newest transactions alone.
    private(set) var lacksPeriods = false

    /// Joins both lists.
    ///
    /// - Parameters:
    ///   - latest: The transactions of `latest_receipt_info`.
    ///   - receipt: Those of the receipt.
    init(_ latest: [Transaction], and receipt: [Transaction]) {
        transactions = latest
        guard !receipt.isEmpty else { return }
        let isIndexed = latest.count > Self.fewTransactions
        var places: [Name: Int] = [:]
        var periods: [String: Set<Timestamp?>] = [:]
        if isIndexed {
            for (index, transaction) in latest.enumerated() {
                places[Name(transaction)] = index
                periods[transaction.originalTransactionId, default: []].insert(transaction.expiresDate)
            }
        }
        for transaction in receipt {
            let name = Name(transaction)
            if let place = isIndexed ? places[name] : transactions.firstIndex(where: { Name($0) == name }) {
                transactions[place] = transactions[place].completed(by: transaction)
                continue
            }
            if isIndexed { places[name] = transactions.count }
            transactions.append(transaction)
            guard !lacksPeriods, let end = transaction.expiresDate else { continue }
            if isIndexed {
                lacksPeriods = periods[transaction.originalTransactionId].map { !$0.contains(end) } ?? false
            } else {
                let listed = latest.lazy.filter { $0.originalTransactionId == transaction.originalTransactionId }
                lacksPeriods = !listed.isEmpty && !listed.contains { $0.expiresDate == end }
            }
        }
    }

    /// By what a transaction is known in both lists: its identifier, else subscription and date.
    private struct Name: Hashable {
        let id: String
        let purchaseDate: Timestamp?

        init(_ transaction: Transaction) {
            id = transaction.transactionId ?? transaction.originalTransactionId
            purchaseDate = transaction.transactionId == nil ? transaction.purchaseDate : nil
        }
    }
}

extension Transaction {
    /// The transaction with what a poorer copy of it says where it says nothing itself.
    ///
    /// - Parameter copy: The other copy.
    /// - Returns: What both say.
    fileprivate func completed(by copy: Transaction) -> Transaction {
        var whole = self
        if whole.productId.isEmpty { whole.productId = copy.productId }
        whole.subscriptionGroupIdentifier = subscriptionGroupIdentifier ?? copy.subscriptionGroupIdentifier
        whole.purchaseDate = purchaseDate ?? copy.purchaseDate
        whole.expiresDate = expiresDate ?? copy.expiresDate
        whole.revocationDate = revocationDate ?? copy.revocationDate
        whole.isUpgraded = isUpgraded || copy.isUpgraded
        whole.isFamilyShared = isFamilyShared || copy.isFamilyShared
        whole.appAccountToken = appAccountToken ?? copy.appAccountToken
        whole.offer = offer?.catalogId == nil ? copy.offer ?? offer : offer
        whole.isOfferSaid = isOfferSaid || copy.isOfferSaid
        return whole
    }
}
