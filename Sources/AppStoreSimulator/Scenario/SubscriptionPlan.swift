import Offers

/// A customer's subscription as `app-store.yaml` describes it.
struct SubscriptionPlan {
    /// What it is for.
    let product: StoreProduct
    /// Where it stands.
    let state: CustomerState
    /// How many periods were paid.
    let periods: Int
    /// The offers that the first periods were paid at.
    let offers: [StoreOffer]
    /// When the latest period ends; `nil` for what suits the state.
    let expires: Timestamp?
    /// What the customer moved to, when the state is upgraded.
    let upgradedTo: StoreProduct?
    /// The account on the payments.
    let account: String?

    /// When the latest period ends, by the state: ahead by half a period, or ago by so many days.
    ///
    /// - Parameter now: The moment that the clock shows.
    /// - Returns: The moment.
    func end(at now: Timestamp) -> Timestamp {
        if let expires { return expires }
        switch state {
        case .gracePeriod: return now.adding(seconds: -2 * Timestamp.day)
        case .billingRetry: return now.adding(seconds: -30 * Timestamp.day)
        case .lapsed: return now.adding(seconds: -40 * Timestamp.day)
        case .active, .activeAutoRenewOff, .refunded, .upgraded, .familyShared:
            return now.towards(product.period.after(now), percent: 50)
        }
    }

    /// Builds the subscription.
    ///
    /// - Parameters:
    ///   - now: The moment that the clock shows.
    ///   - app: The app.
    ///   - numbers: Where transaction identifiers come from.
    /// - Returns: The subscription, as it is at that moment.
    func subscription(at now: Timestamp, in app: StoreApp, numbers: inout TransactionNumbers) -> StoreSubscription {
        let end = end(at: now)
        let start = product.period.after(end, times: -periods)
        let willLapse = state == .lapsed || state == .activeAutoRenewOff
        var subscription = StoreSubscription(
            buying: product,
            offer: offers.first,
            at: start,
            account: account,
            numbers: &numbers
        )
        subscription.latest = first(subscription.latest, start: start, end: end)
        for index in 1..<max(1, periods) {
            subscription.offerInUse = index < offers.count ? OfferInUse(offers[index]) : nil
            let begin = product.period.after(end, times: index - periods)
            subscription.begin(product, at: begin, reason: .renewal, account: account, numbers: &numbers)
        }
        subscription.offerInUse = nil
        subscription.willAutoRenew = !willLapse
        subscription.paymentFails = state == .gracePeriod || state == .billingRetry
        switch state {
        case .refunded:
            let date = subscription.latest.purchaseDate.towards(now, percent: 50)
            subscription.latest.revocation = StoreTransaction.Revocation(date: date, reason: 0)
            subscription.phase = .revoked
            subscription.willAutoRenew = false
        case .upgraded:
            let date = subscription.latest.purchaseDate.towards(now, percent: 50)
            subscription.latest.isUpgraded = true
            let target = upgradedTo ?? product
            subscription.begin(target, at: date, reason: .purchase, account: account, numbers: &numbers)
        default: break
        }
        // What the description says has happened already: nobody is notified of it.
        _ = subscription.advance(to: now, in: app, numbers: &numbers)
        return subscription
    }

    /// The first transaction, with the end that its place in the row gives it.
    private func first(_ transaction: StoreTransaction, start: Timestamp, end: Timestamp) -> StoreTransaction {
        StoreTransaction(
            transactionId: transaction.transactionId,
            originalTransactionId: transaction.originalTransactionId,
            productId: transaction.productId,
            groupId: transaction.groupId,
            purchaseDate: start,
            originalPurchaseDate: start,
            expiresDate: periods <= 1 ? end : product.period.after(end, times: 1 - periods),
            offer: transaction.offer,
            price: transaction.price,
            reason: .purchase,
            appAccountToken: account,
            isFamilyShared: state == .familyShared
        )
    }
}
