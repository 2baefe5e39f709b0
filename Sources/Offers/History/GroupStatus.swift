/// The status of a customer in one subscription group.
package enum GroupStatus: Equatable, Sendable {
    /// There is an entry of `pending_renewal_info` for the group; of several the one with the strongest state.
    case subscriber(Subscription)
    /// The group has transactions, but no entry.
    case noPendingRenewalInfo
    /// The evidence has neither entry nor transaction of the group.
    case neverSubscribed
    /// No entry or purchase is known to be of this group, and the group of one cannot be determined.
    case groupUnknown
    /// The lack of an entry proves nothing: the evidence has no list of entries, or is its sender's choice.
    case noEvidence
}

extension SubscriptionHistory {
    /// The status in a group, or with `nil` in the whole app, at Apple's clock.
    ///
    /// In the whole app every entry counts, and every subscription that was bought, also one whose group cannot be
    /// determined. Held state of a subscription that is newer than Apple's clock has a clock of its own. The server's
    /// clock is Apple's, unless said.
    package func status(
        inGroup groupId: String?,
        of app: App,
        at clock: Timestamp,
        now: Timestamp? = nil
    ) -> GroupStatus {
        subscriptions(inGroup: groupId, by: Holdings(self, of: app, at: clock), at: clock, now: now ?? clock).status
    }

    /// The status with the subscriptions that run beside the one that counts.
    func subscriptions(
        inGroup groupId: String?,
        by holdings: Holdings,
        at clock: Timestamp,
        now: Timestamp
    ) -> StrongestSubscription {
        guard renewals != nil else { return StrongestSubscription(status: .noEvidence) }
        var found = StrongestSubscription()
        var (hasEntry, hasUnknownEntry, isBought, maybeBought, mayRunElsewhere) = (false, false, false, false, false)
        for holding in holdings.all {
            let isHere = groupId == nil || holding.group == groupId
            guard isHere || holding.group == nil else { continue }
            switch (holding.entry != nil, isHere) {
            case (true, true): hasEntry = true
            case (true, false): hasUnknownEntry = true
            case (false, true): isBought = isBought || holding.group != nil || holding.hasEnd
            case (false, false): maybeBought = maybeBought || holding.hasEnd
            }
            guard holding.isSubscription, isHere || holding.hasRows else { continue }
            let subscription = Subscription(holding, of: self, at: clock, now: now)
            if isHere { found.consider(subscription) } else if subscription.mayRun { mayRunElsewhere = true }
        }
        guard !hasEntry else {
            // A running subscription of an unknown group may run in this one.
            return found.mayRun || !mayRunElsewhere ? found : StrongestSubscription(status: .groupUnknown)
        }
        let status: GroupStatus =
            if hasUnknownEntry {
                .groupUnknown
            } else if isBought {
                .noPendingRenewalInfo
            } else if !coverage.showsEverySubscription {
                .noEvidence
            } else {
                maybeBought ? .groupUnknown : .neverSubscribed
            }
        return StrongestSubscription(status: status)
    }
}
