import Offers

/// Changes that leave several transactions for one purchase, or several subscriptions in one group.
extension AppStoreWorld {
    /// Adds seats to a group's subscription, within the period.
    mutating func addSeats(_ count: Int64, to id: String) throws(RequestFault) -> Change {
        let now = clock.now
        return try changeSubscription(of: id) { (subscription, _, numbers) throws(RequestFault) in
            try Self.check(count, "added", of: subscription)
            guard subscription.status == 1 else {
                throw .member("originalTransactionId", "The subscription is not paid for at this time.")
            }
            let addition = subscription.addSeats(count, at: now, numbers: &numbers)
            // Apple names the subtype; that it comes with this type is assumed.
            return [
                StoreEvent(.didChangeRenewalPreference, .increaseQuantity, at: now, subscription, about: addition)
            ]
        }
    }

    /// Refunds some seats of a group's subscription, which goes on.
    mutating func refundSeats(_ count: Int64, of id: String) throws(RequestFault) -> Change {
        let now = clock.now
        return try changeSubscription(of: id) { (subscription, _, _) throws(RequestFault) in
            try Self.check(count, "refunded", of: subscription)
            guard let transaction = subscription.refundSeats(count) else {
                throw .member("refunded", "No transaction has more seats; POST /simulator/refunds refunds all of them.")
            }
            return [StoreEvent(.refund, .seats, at: now, subscription, about: transaction)]
        }
    }

    private static func check(
        _ count: Int64,
        _ member: String,
        of subscription: StoreSubscription
    ) throws(RequestFault) {
        guard Seats.quantities.contains(count) else { throw .member(member, "1 to 10000 is expected.") }
        let holding = subscription.latest.holding
        guard holding.ownership == .purchased, holding.seats != nil else {
            throw .member("originalTransactionId", "The customer bought no seats; give some in app-store.yaml.")
        }
    }

    /// Puts a copy of the newest purchase on the customer's device.
    mutating func restore(_ id: String, asNewOriginal isNewOriginal: Bool) throws(RequestFault) -> Change {
        try changeSubscription(of: id) { (subscription, _, numbers) throws(RequestFault) in
            subscription.restore(asNewOriginal: isNewOriginal, numbers: &numbers)
            return []
        }
    }

    /// Moves a customer to another original transaction id.
    mutating func changeId(_ id: String, _ change: IdChange) throws(RequestFault) -> Change {
        let now = clock.now
        var next: StoreSubscription?
        var (customer, events) = try changeSubscription(of: id) { (subscription, app, numbers) throws(RequestFault) in
            next = subscription.changeId(change, at: now, in: app, numbers: &numbers)
            guard next != nil else {
                throw .member(
                    "originalTransactionId",
                    "Only a subscription that runs, and is the customer's own, moves."
                )
            }
            // Apple has not published which notifications a move to a bundle brings.
            return [StoreEvent(change == .revoked ? .revoke : .expired, at: now, subscription)]
        }
        if let next, let index = customers.index(named: customer.name) {
            customers.set(next, at: nil, of: index)
            customer = customers.all[index]
            events.append(StoreEvent(.subscribed, .resubscribe, at: now, next))
        }
        return (customer, events)
    }
}
