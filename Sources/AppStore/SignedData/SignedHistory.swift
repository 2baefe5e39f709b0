import Offers

/// Signed transactions and renewal infos, put together to a history.
///
/// Of several copies of one transaction, and of several renewal infos of one subscription, the one signed last counts.
struct SignedHistory {
    private var transactions: [String: SignedTransaction] = [:]
    private var renewalInfos: [String: SignedRenewalInfo] = [:]
    /// What Apple says of subscriptions, by the identifiers of their first purchases.
    private var statuses: [String: SubscriptionStatus] = [:]
    private(set) var bundleId: String?
    private(set) var environment: AppStoreEnvironment?

    mutating func add(_ signed: SignedTransaction) throws(SignedDataFault) {
        if transactions.isEmpty {
            bundleId = signed.bundleId
            environment = signed.environment
        }
        guard signed.bundleId == bundleId, signed.environment == environment else {
            throw SignedDataFault(.mixed, "The transactions are of several apps or environments; send those of one.")
        }
        if let known = transactions[signed.transactionId], !Self.isNewer(signed.signedDate, known.signedDate) { return }
        transactions[signed.transactionId] = signed
    }

    mutating func add(_ signed: SignedRenewalInfo) {
        if let known = renewalInfos[signed.originalTransactionId],
            !Self.isNewer(signed.renewal.signedDate, known.renewal.signedDate)
        {
            return
        }
        renewalInfos[signed.originalTransactionId] = signed
    }

    /// Takes the `status` that Apple gives a subscription; of a number that is none of Apple's five nothing follows.
    mutating func add(status: Int64?, of id: String, asOf: Timestamp) {
        guard let status else { return }
        statuses[id] = SubscriptionStatus(SubscriptionStatus.Code(rawValue: status) ?? .unknown, asOf: asOf)
    }

    /// The customer's history by these transactions, as of Apple's clock, or of the date of what was signed last.
    ///
    /// Each subscription of a transaction has an entry: its renewal info, or, where there is none, one that says
    /// nothing but that it exists. A renewal info without a transaction is left out, as nobody knows whose app it is; so is
    /// one that was signed before the last purchase.
    func history(coverage: HistoryCoverage, asOf: Timestamp? = nil) -> SubscriptionHistory {
        var renewals: [String: RenewalInfo] = [:]
        let outdated = outdatedRenewalInfos
        for signed in transactions.values where signed.transaction.kind == .subscription {
            let transaction = signed.transaction
            let id = transaction.originalTransactionId
            var entry = RenewalInfo.standIn(
                originalTransactionId: id,
                productId: transaction.productId,
                subscriptionGroupIdentifier: transaction.subscriptionGroupIdentifier
            )
            if let info = renewalInfos[id], info.environment == environment, !outdated.contains(id) {
                entry = info.renewal
                entry.productId = entry.productId ?? transaction.productId
            } else if let known = renewals[id] {
                entry = known
            }
            entry.subscriptionGroupIdentifier =
                entry.subscriptionGroupIdentifier ?? transaction.subscriptionGroupIdentifier
            entry.status = statuses[id]
            renewals[id] = entry
        }
        let dates = transactions.values.map(\.signedDate) + renewalInfos.values.map(\.renewal.signedDate)
        return SubscriptionHistory(
            bundleId: bundleId,
            environment: environment,
            asOf: asOf ?? dates.compactMap(\.self).max(),
            renewals: Array(renewals.values),
            transactions: transactions.values.map(\.transaction),
            coverage: coverage
        )
    }

    /// The subscriptions of which something was bought after their renewal info was signed: it speaks of a time that is
    /// over.
    ///
    /// Apple renews some hours ahead: a purchase dated later than its signature is not made yet, and is left out.
    private var outdatedRenewalInfos: Set<String> {
        var outdated: Set<String> = []
        for transaction in transactions.values.map(\.transaction) {
            guard let said = renewalInfos[transaction.originalTransactionId]?.renewal.signedDate,
                let bought = transaction.purchaseDate, let signed = transaction.signedDate,
                said < bought, bought <= signed
            else { continue }
            outdated.insert(transaction.originalTransactionId)
        }
        return outdated
    }

    private static func isNewer(_ left: Timestamp?, _ right: Timestamp?) -> Bool {
        guard let left else { return false }
        guard let right else { return true }
        return left > right
    }
}

extension SignedTransaction {
    fileprivate var signedDate: Timestamp? { transaction.signedDate }
}
