import Offers

extension StoreSubscription {
    /// Lets time pass: renewals, failed payments and the end, each at its own moment.
    ///
    /// - Parameters:
    ///   - now: The moment that the clock shows.
    ///   - app: The app that it belongs to.
    ///   - numbers: Where transaction identifiers come from.
    /// - Returns: What happened, in order.
    mutating func advance(
        to now: Timestamp,
        in app: StoreApp,
        numbers: inout TransactionNumbers
    ) -> [StoreEvent] {
        var events: [StoreEvent] = []
        while let event = step(to: now, in: app, numbers: &numbers) { events.append(event) }
        return events
    }

    private mutating func step(
        to now: Timestamp,
        in app: StoreApp,
        numbers: inout TransactionNumbers
    ) -> StoreEvent? {
        let end = latest.expiresDate
        switch phase {
        case .current:
            guard end <= now else { return nil }
            if !willAutoRenew {
                phase = .expired(intent: 1)
                return StoreEvent(.expired, .voluntary, at: end, self)
            }
            if paymentFails {
                guard app.gracePeriodDays > 0 else {
                    phase = .billingRetry(until: retryEnd)
                    return StoreEvent(.didFailToRenew, at: end, self)
                }
                phase = .gracePeriod(until: end.adding(seconds: Int64(app.gracePeriodDays) * Timestamp.day))
                return StoreEvent(.didFailToRenew, .gracePeriod, at: end, self)
            }
            guard renew(at: end, in: app, numbers: &numbers) else { return nil }
            return StoreEvent(.didRenew, at: end, self)
        case .gracePeriod(let until):
            guard until <= now else { return nil }
            phase = .billingRetry(until: retryEnd)
            return StoreEvent(.gracePeriodExpired, at: until, self)
        case .billingRetry(let until):
            guard until <= now else { return nil }
            phase = .expired(intent: 2)
            willAutoRenew = false
            return StoreEvent(.expired, .billingRetry, at: until, self)
        case .expired, .revoked:
            return nil
        }
    }

    private var retryEnd: Timestamp {
        latest.expiresDate.adding(seconds: Self.billingRetryDays * Timestamp.day)
    }

    /// Begins the next period, at the price of the offer in use if there is one.
    ///
    /// - Parameters:
    ///   - start: When it begins.
    ///   - app: The app that it belongs to.
    ///   - numbers: Where the transaction's identifier comes from.
    /// - Returns: Whether the product is still there.
    mutating func renew(at start: Timestamp, in app: StoreApp, numbers: inout TransactionNumbers) -> Bool {
        guard let product = app.product(autoRenewProductId) else { return false }
        begin(product, at: start, reason: .renewal, account: latest.appAccountToken, numbers: &numbers)
        return true
    }

    /// Begins a period.
    ///
    /// - Parameters:
    ///   - product: What it is for.
    ///   - start: When it begins.
    ///   - reason: Whether the customer bought, or it renews.
    ///   - account: The account on the payment.
    ///   - numbers: Where the transaction's identifier comes from.
    mutating func begin(
        _ product: StoreProduct,
        at start: Timestamp,
        reason: StoreTransaction.Reason,
        account: String?,
        numbers: inout TransactionNumbers
    ) {
        let offer = offerInUse?.offer
        earlier.append(latest)
        latest = StoreTransaction(
            transactionId: numbers.next(),
            originalTransactionId: latest.originalTransactionId,
            productId: product.id,
            groupId: product.groupId,
            purchaseDate: start,
            originalPurchaseDate: latest.originalPurchaseDate,
            expiresDate: (offer?.period ?? product.period).after(start),
            offer: offer,
            price: offer?.price ?? product.price,
            reason: reason,
            appAccountToken: account,
            isFamilyShared: latest.isFamilyShared
        )
        if var use = offerInUse {
            use.paymentsLeft -= 1
            offerInUse = use.paymentsLeft > 0 ? use : nil
        }
        phase = .current
        autoRenewProductId = product.id
    }
}
