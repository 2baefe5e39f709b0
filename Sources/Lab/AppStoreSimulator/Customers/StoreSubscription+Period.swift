import Offers

/// The latest period, which several transactions may stand for: the payment that began it, seats that were added, and
/// copies that restores made.
extension StoreSubscription {
    var period: [StoreTransaction] { [latest] + besides }

    /// The transaction that Apple's server shows for it.
    var shown: StoreTransaction { period.first { $0.revocation == nil } ?? latest }

    /// The transaction that the device shows for it.
    var newest: StoreTransaction { period.last { $0.revocation == nil } ?? latest }

    /// How the customer holds the next period: with all seats of this one that were not refunded.
    var nextHolding: Holding {
        let paid = period.filter { $0.revocation == nil }.map { transaction in
            (transaction.webOrderLineItemId, transaction.holding.seats?.remaining ?? 0)
        }
        let seats = Dictionary(paid) { first, _ in first }
        var holding = latest.holding
        holding.seats?.revoked = 0
        // A refund of the whole period leaves the number as it was: a later purchase is of the same group.
        if !seats.isEmpty { holding.seats?.quantity = seats.values.reduce(0, +) }
        return holding
    }

    mutating func changePeriod(_ change: (inout StoreTransaction) -> Void) {
        change(&latest)
        for index in besides.indices { change(&besides[index]) }
    }

    /// Revokes a purchase with all copies of it; the subscription ends when its whole period is revoked.
    mutating func revoke(_ purchase: StoreTransaction, _ revocation: StoreTransaction.Revocation) {
        let order = purchase.webOrderLineItemId
        for index in earlier.indices where earlier[index].webOrderLineItemId == order {
            earlier[index].revocation = revocation
        }
        guard period.contains(where: { $0.webOrderLineItemId == order }) else { return }
        changePeriod { if $0.webOrderLineItemId == order { $0.revocation = revocation } }
        guard period.allSatisfy({ $0.revocation != nil }) else { return }
        willAutoRenew = false
        guard latest.purchaseDate > revocation.date, let running = earlier.last, running.revocation == nil else {
            phase = .revoked
            return
        }
        // It had not begun: the period before it runs on.
        besides = period
        latest = running
        earlier.removeLast()
    }

    /// Adds seats by one more transaction, which does not replace the first.
    mutating func addSeats(_ count: Int64, at now: Timestamp, numbers: inout TransactionNumbers) -> StoreTransaction {
        // Apple marks every transaction of such a period, the first one too.
        changePeriod { $0.isOfSeveral = true }
        var addition = shown
        addition.identify(by: numbers.next())
        addition.purchaseDate = max(now, addition.purchaseDate)
        addition.reason = .purchase
        addition.holding.seats?.quantity = count
        addition.holding.seats?.revoked = 0
        besides.append(addition)
        return addition
    }

    /// Refunds seats of the newest transaction that keeps some; `nil` where none has more seats than that.
    mutating func refundSeats(_ count: Int64) -> StoreTransaction? {
        let transaction = period.last { $0.revocation == nil && ($0.holding.seats?.remaining ?? 0) > count }
        guard let order = transaction?.webOrderLineItemId else { return nil }
        changePeriod { if $0.webOrderLineItemId == order { $0.holding.seats?.revoked += count } }
        return period.first { $0.webOrderLineItemId == order }
    }

    /// Puts a copy beside the newest purchase, as a restore on a device does.
    mutating func restore(asNewOriginal isNewOriginal: Bool, numbers: inout TransactionNumbers) {
        var copy = newest
        copy.transactionId = numbers.next()
        if isNewOriginal { copy.originalTransactionId = copy.transactionId }
        besides.append(copy)
    }

    /// Ends, and goes on under another original transaction.
    mutating func changeId(
        _ change: IdChange,
        at now: Timestamp,
        in app: StoreApp,
        numbers: inout TransactionNumbers
    ) -> StoreSubscription? {
        guard hasAccess, latest.ownership == .purchased, let product = app.product(latest.productId) else { return nil }
        var holding = nextHolding
        holding.previousOriginalTransactionId = originalTransactionId
        let (plan, account) = (latest.plan, latest.appAccountToken)
        let payment = Payment(product: product, plan: plan, offer: nil, start: now, account: account, holding: holding)
        var next = StoreSubscription(buying: payment, numbers: &numbers)
        next.willAutoRenew = willAutoRenew
        let revocation = StoreTransaction.Revocation(date: now, kind: .idChange)
        if latest.purchaseDate > now { revoke(latest, revocation) }
        switch change {
        case .revoked:
            for purchase in period where purchase.revocation == nil { revoke(purchase, revocation) }
        case .expired:
            changePeriod { if $0.revocation == nil { $0.expiresDate = min($0.expiresDate, now) } }
            // No number for this is known; 5 is any other reason.
            phase = .expired(intent: 5)
            willAutoRenew = false
        }
        return next
    }
}

/// How a subscription ends whose customer moves to another original transaction id.
enum IdChange: String, CaseIterable, Decodable, Sendable {
    /// Revoked without a refund, as when the customer moves to a bundle.
    case revoked
    /// Expired, as when the customer leaves a bundle, or is migrated.
    case expired
}
