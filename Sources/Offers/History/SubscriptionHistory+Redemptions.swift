extension SubscriptionHistory {
    /// How many times the customer has redeemed a promotional offer in a group, as far as the evidence shows, and what
    /// is on record beside it.
    ///
    /// A redemption is a run of renewals of one subscription under the offer: a pay-as-you-go offer names itself on each
    /// renewal that it covers. An offer that the next renewal falls under is redeemed already, though no transaction
    /// shows it yet. Refunded and upgraded transactions count: the offer was used. A transaction that is in the evidence
    /// and on record is one.
    ///
    /// - Parameters:
    ///   - offerId: The promotional offer's identifier.
    ///   - groupId: The group's identifier.
    ///   - app: The app of the catalog.
    /// - Returns: The number of redemptions.
    public func redemptions(ofOffer offerId: String, inGroup groupId: String, of app: App) -> Int {
        let offer = RedeemedOffer.promotional(offerId)
        // Most customers never redeemed the offer: then there is nothing to sort.
        let isNamed =
            transactions.contains { $0.offer == offer } || recordedTransactions.contains { $0.offer == offer }
            || renewals?.contains { $0.promotionalOfferId == offerId } ?? false
        let others = otherRedemptions.count { redemption in
            guard redemption.offerId == offerId else { return false }
            let group = app.product(redemption.productId)?.group.id ?? redemption.subscriptionGroupIdentifier
            return group == groupId
        }
        guard isNamed else { return others }
        var lastOffers: [String: RedeemedOffer?] = [:]
        var count = others
        let bought = transactionsWithRecord.filter { !$0.isFamilyShared && groupIdentifier(of: $0, in: app) == groupId }
        for transaction in bought.sorted(by: Transaction.isOlder) {
            let last = lastOffers.updateValue(transaction.offer, forKey: transaction.originalTransactionId)
            if transaction.offer == offer, last != .some(offer) { count += 1 }
        }
        let lookup = EntryLookup(self, of: app)
        for renewal in renewals ?? [] where renewal.promotionalOfferId == offerId {
            guard lookup.group(of: renewal) == groupId else { continue }
            let last = renewal.originalTransactionId.flatMap { lastOffers[$0] }
            if last != .some(offer) { count += 1 }
        }
        return count
    }

    /// The transactions, with those on record beside them; of two copies the one that names a promotional offer.
    private var transactionsWithRecord: [Transaction] {
        guard !recordedTransactions.isEmpty else { return transactions }
        var all = transactions
        for recorded in recordedTransactions {
            if let index = all.firstIndex(where: recorded.isCopy) {
                if all[index].offer?.promotionalId == nil { all[index].offer = recorded.offer }
            } else {
                all.append(recorded)
            }
        }
        return all
    }
}
