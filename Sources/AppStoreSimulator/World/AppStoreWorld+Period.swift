import Offers

/// Changes that leave several transactions for one purchase, or several subscriptions in one group.
extension AppStoreWorld {
    /// Adds seats to a group's subscription, within the period.
    mutating func addSeats(_ count: Int64, to id: String) throws(RequestFault) -> Change {
        let (index, position) = try purchaseOfSeats(id, count, "added")
        let now = clock.now
        var subscription = customers.all[index].subscriptions[position]
        guard subscription.status == 1 else {
            throw .member("originalTransactionId", "The subscription is not paid for at this time.")
        }
        let addition = subscription.addSeats(count, at: now, numbers: &numbers)
        customers.set(subscription, at: position, of: index)
        // Apple names the subtype; that it comes with this type is assumed.
        let event = StoreEvent(.didChangeRenewalPreference, .increaseQuantity, at: now, subscription, about: addition)
        return (customers.all[index], [event])
    }

    mutating func refundSeats(_ count: Int64, of id: String) throws(RequestFault) -> Change {
        let (index, position) = try purchaseOfSeats(id, count, "refunded")
        var subscription = customers.all[index].subscriptions[position]
        guard let transaction = subscription.refundSeats(count) else {
            throw .member("refunded", "No transaction has more seats; POST /simulator/refunds refunds all of them.")
        }
        customers.set(subscription, at: position, of: index)
        return (customers.all[index], [StoreEvent(.refund, .seats, at: clock.now, subscription, about: transaction)])
    }

    private func purchaseOfSeats(
        _ id: String,
        _ count: Int64,
        _ member: String
    ) throws(RequestFault) -> (customer: Int, subscription: Int) {
        guard Seats.quantities.contains(count) else { throw .member(member, "1 to 10000 is expected.") }
        let place = try place(id) { $0.originalTransactionId == id }
        let holding = customers.all[place.customer].subscriptions[place.subscription].latest.holding
        guard holding.ownership == .purchased, holding.seats != nil else {
            throw .member("originalTransactionId", "The customer bought no seats; give some in app-store.yaml.")
        }
        return place
    }

    mutating func restore(_ id: String, asNewOriginal isNewOriginal: Bool) throws(RequestFault) -> Change {
        let (index, position) = try place(id) { $0.originalTransactionId == id }
        var subscription = customers.all[index].subscriptions[position]
        subscription.restore(asNewOriginal: isNewOriginal, numbers: &numbers)
        customers.set(subscription, at: position, of: index)
        return (customers.all[index], [])
    }

    /// Moves a customer to another original transaction id.
    mutating func changeId(_ id: String, _ change: IdChange) throws(RequestFault) -> Change {
        let (index, position) = try place(id) { $0.originalTransactionId == id }
        guard let app = app(customers.all[index].bundleId) else { throw Self.noTransaction }
        let now = clock.now
        var subscription = customers.all[index].subscriptions[position]
        guard let next = subscription.changeId(change, at: now, in: app, numbers: &numbers) else {
            throw .member("originalTransactionId", "Only a subscription that runs, and is the customer's own, moves.")
        }
        customers.set(subscription, at: position, of: index)
        customers.set(next, at: nil, of: index)
        // Apple has not published which notifications a move to a bundle brings.
        let end = StoreEvent(change == .revoked ? .revoke : .expired, at: now, subscription)
        return (customers.all[index], [end, StoreEvent(.subscribed, .resubscribe, at: now, next)])
    }
}
