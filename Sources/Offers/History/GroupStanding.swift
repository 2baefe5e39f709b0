/// What a customer is in one subscription group.
public enum GroupStanding: Equatable, Sendable {
    /// There is an entry of `pending_renewal_info` for the group; of several the one with the strongest state.
    case subscriber(Subscription)
    /// The group has transactions, but no entry.
    case noPendingRenewalInfo
    /// The evidence has neither entry nor transaction of the group.
    case neverSubscribed
    /// The evidence has an entry or a purchase of a subscription whose group cannot be determined, and none that is known
    /// to be of this group.
    case groupUnknown
    /// The evidence cannot be taken to mean that there is no entry: it has no list of entries, or shows only what its
    /// sender chose to show.
    case noEvidence
}

extension SubscriptionHistory {
    /// What the customer is in a group, or in the whole app, at Apple's clock.
    ///
    /// In the whole app every entry counts, and every subscription that was bought, also one whose group cannot be
    /// determined.
    ///
    /// - Parameters:
    ///   - groupId: The group's identifier; `nil` for the whole app.
    ///   - app: The app of the catalog, which knows the groups of its products.
    ///   - clock: Apple's clock, at which expiry and grace are judged unless held state told of a subscription since.
    ///   - now: The server's clock; Apple's, unless said.
    /// - Returns: The standing.
    public func standing(
        inGroup groupId: String?,
        of app: App,
        at clock: Timestamp,
        now: Timestamp? = nil
    ) -> GroupStanding {
        subscriptions(inGroup: groupId, of: app, at: clock, now: now ?? clock).standing
    }

    /// What the customer is in a group, or in the whole app, with the subscriptions that run beside the one that counts.
    ///
    /// - Parameters:
    ///   - groupId: The group's identifier; `nil` for the whole app.
    ///   - app: The app of the catalog.
    ///   - clock: Apple's clock.
    ///   - now: The server's clock.
    /// - Returns: What was found.
    func subscriptions(
        inGroup groupId: String?,
        of app: App,
        at clock: Timestamp,
        now: Timestamp
    ) -> StrongestSubscription {
        guard let renewals else { return StrongestSubscription(standing: .noEvidence) }
        var found = StrongestSubscription()
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
            let clocks = self.clocks(of: renewal, at: clock, now: now)
            found.consider(renewal, newest: lookup.newestTransaction(of: renewal), by: clocks)
        }
        if found.isSettled { return found }
        if someUnknown { return StrongestSubscription(standing: .groupUnknown) }
        let bought = transactions.contains { transaction in
            let group = groupIdentifier(of: transaction, in: app)
            guard let groupId else { return group != nil || transaction.expiresDate != nil }
            return group == groupId
        }
        let standing = withoutEntry(
            bought: bought,
            maybeBought: groupId != nil && hasSubscriptionOfUnknownGroup(in: app, by: lookup)
        )
        return StrongestSubscription(standing: standing)
    }

    /// The same as ``subscriptions(inGroup:of:at:now:)`` for one of many groups.
    ///
    /// - Parameters:
    ///   - groupId: The group's identifier.
    ///   - index: What the history has of each group.
    ///   - clock: Apple's clock.
    ///   - now: The server's clock.
    /// - Returns: What was found.
    func subscriptions(
        inGroup groupId: String,
        by index: GroupIndex,
        at clock: Timestamp,
        now: Timestamp
    ) -> StrongestSubscription {
        guard renewals != nil else { return StrongestSubscription(standing: .noEvidence) }
        var found = StrongestSubscription()
        for renewal in index.entries(inGroup: groupId) {
            let clocks = self.clocks(of: renewal, at: clock, now: now)
            found.consider(renewal, newest: index.lookup.newestTransaction(of: renewal), by: clocks)
        }
        if found.isSettled { return found }
        if index.hasUnknownEntry { return StrongestSubscription(standing: .groupUnknown) }
        let bought = !index.transactions(inGroup: groupId).isEmpty
        let standing = withoutEntry(bought: bought, maybeBought: index.hasUnknownSubscription)
        return StrongestSubscription(standing: standing)
    }

    private func withoutEntry(bought: Bool, maybeBought: @autoclosure () -> Bool) -> GroupStanding {
        if bought { return .noPendingRenewalInfo }
        guard coverage.showsEverySubscription else { return .noEvidence }
        return maybeBought() ? .groupUnknown : .neverSubscribed
    }
}
