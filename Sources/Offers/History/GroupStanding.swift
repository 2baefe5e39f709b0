/// What a customer is in one subscription group.
public enum GroupStanding: Equatable, Sendable {
    /// There is an entry of `pending_renewal_info` for the group; of several the one with the strongest state.
    case subscriber(Subscription)
    /// The group has transactions, but no entry.
    case noPendingRenewalInfo
    /// The evidence has neither entry nor transaction of the group.
    case neverSubscribed
    /// The evidence has an entry whose group cannot be determined, and none that is known to be of this group.
    case groupUnknown
    /// The evidence cannot be taken to mean that there is no entry: it has no list of entries, or shows only what its
    /// sender chose to show.
    case noEvidence
}

extension SubscriptionHistory {
    /// What the customer is in a group, or in the whole app, at Apple's clock.
    ///
    /// In the whole app every entry counts, also one whose group cannot be determined.
    ///
    /// - Parameters:
    ///   - groupId: The group's identifier; `nil` for the whole app.
    ///   - app: The app of the catalog, which knows the groups of its products.
    ///   - clock: Apple's clock, at which expiry and grace are judged.
    /// - Returns: The standing.
    public func standing(inGroup groupId: String?, of app: App, at clock: Timestamp) -> GroupStanding {
        guard let renewals else { return .noEvidence }
        var strongest: Subscription?
        var someUnknown = false
        let lookup = EntryLookup(self, of: app)
        for renewal in renewals {
            if let groupId {
                guard let group = lookup.group(of: renewal) else {
                    someUnknown = true
                    continue
                }
                guard group == groupId else { continue }
            }
            let newest = lookup.newestTransaction(of: renewal)
            let subscription = Subscription(renewal: renewal, newest: newest, at: clock)
            if strongest.map({ Self.isWeaker($0, subscription) }) ?? true { strongest = subscription }
        }
        if let strongest { return .subscriber(strongest) }
        if someUnknown { return .groupUnknown }
        let bought = transactions.contains { transaction in
            guard let group = groupIdentifier(of: transaction, in: app) else { return false }
            return groupId.map { $0 == group } ?? true
        }
        if bought { return .noPendingRenewalInfo }
        return coverage == .partial ? .noEvidence : .neverSubscribed
    }

    /// The same as ``standing(inGroup:of:at:)`` for one of many groups.
    ///
    /// - Parameters:
    ///   - groupId: The group's identifier.
    ///   - index: What the history has of each group.
    ///   - clock: Apple's clock.
    /// - Returns: The standing.
    func standing(inGroup groupId: String, by index: GroupIndex, at clock: Timestamp) -> GroupStanding {
        guard renewals != nil else { return .noEvidence }
        var strongest: Subscription?
        for renewal in index.entries(inGroup: groupId) {
            let newest = index.lookup.newestTransaction(of: renewal)
            let subscription = Subscription(renewal: renewal, newest: newest, at: clock)
            if strongest.map({ Self.isWeaker($0, subscription) }) ?? true { strongest = subscription }
        }
        if let strongest { return .subscriber(strongest) }
        if index.hasUnknownEntry { return .groupUnknown }
        if !index.transactions(inGroup: groupId).isEmpty { return .noPendingRenewalInfo }
        return coverage == .partial ? .noEvidence : .neverSubscribed
    }

    /// Whether the left one counts less; of two with the same state the one that ends first does.
    ///
    /// Of two that end together the identifiers decide, so that the order of the list does not.
    private static func isWeaker(_ left: Subscription, _ right: Subscription) -> Bool {
        guard left.state == right.state else { return left.state < right.state }
        let (leftExpiry, rightExpiry) = (left.transaction?.expiresDate, right.transaction?.expiresDate)
        guard leftExpiry == rightExpiry else {
            return (leftExpiry?.millisecondsSince1970 ?? .min) < (rightExpiry?.millisecondsSince1970 ?? .min)
        }
        if let leftTransaction = left.transaction, let rightTransaction = right.transaction,
            leftTransaction != rightTransaction
        {
            return Transaction.isOlder(leftTransaction, rightTransaction)
        }
        return tieBreaker(left.renewal).lexicographicallyPrecedes(tieBreaker(right.renewal))
    }

    private static func tieBreaker(_ renewal: RenewalInfo) -> [String] {
        [
            renewal.originalTransactionId ?? "", renewal.productId ?? "", renewal.autoRenewStatus == true ? "1" : "0",
            renewal.promotionalOfferId ?? "",
        ]
    }
}
