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
            if !renewsNextPeriod {
                phase = .expired(intent: 1)
                return StoreEvent(.expired, .voluntary, at: end, self)
            }
            if paymentFails {
                let graceDays = gracePeriodDays(in: app)
                guard graceDays > 0 else {
                    phase = .billingRetry(until: retryEnd)
                    return StoreEvent(.didFailToRenew, at: end, self)
                }
                phase = .gracePeriod(until: end.adding(seconds: Int64(graceDays) * Timestamp.day))
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
        latest.expiresDate.adding(seconds: billingRetryDays * Timestamp.day)
    }

    /// Begins the next period, at the price of the offer in use if there is one.
    ///
    /// - Returns: Whether the product is still there.
    mutating func renew(at start: Timestamp, in app: StoreApp, numbers: inout TransactionNumbers) -> Bool {
        guard let product = app.product(nextProductId) else { return false }
        let account = latest.appAccountToken
        begin(
            Payment(product: product, plan: nextPlan, offer: nextOffer, start: start, account: account),
            .renewal,
            numbers: &numbers
        )
        return true
    }

    /// Begins a period with a payment.
    mutating func begin(
        _ payment: Payment,
        _ reason: StoreTransaction.Reason,
        numbers: inout TransactionNumbers
    ) {
        var number = 1
        if reason == .renewal, isCommitted, let commitment = latest.commitment { number = commitment.number + 1 }
        earlier.append(latest)
        latest = payment.transaction(reason, number: number, after: latest, numbers: &numbers)
        phase = .current
        if reason == .purchase {
            autoRenewProductId = payment.product.id
            autoRenewPlan = payment.plan
        }
        if payment.offer != nil { payAtOffer() }
    }

    /// Counts a payment at the price of the offer in use.
    mutating func payAtOffer() {
        guard var use = offerInUse else { return }
        use.paymentsLeft -= 1
        offerInUse = use.paymentsLeft > 0 ? use : nil
    }
}
