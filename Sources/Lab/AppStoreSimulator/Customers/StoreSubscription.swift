import Offers

/// A customer's subscription in one group: everything under one original transaction id.
struct StoreSubscription: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// Paid for.
        case current
        /// The payment failed; the customer keeps access until then.
        case gracePeriod(until: Timestamp)
        /// The payment failed; the App Store tries until then.
        case billingRetry(until: Timestamp)
        /// Ended, with Apple's number for the reason (`expirationIntent`).
        case expired(intent: Int64)
        /// The latest payment was refunded, or ended in another way before its time.
        case revoked
    }

    var latest: StoreTransaction
    /// All transactions before it, oldest first.
    var earlier: [StoreTransaction]
    /// More transactions of its period: seats that were added, copies that restores made, and a renewal that was
    /// refunded before it began.
    var besides: [StoreTransaction] = []
    var phase: Phase
    /// The product that the customer has chosen for the next renewal, which is that of the commitment if there is one.
    var autoRenewProductId: String
    /// The billing plan that the customer has chosen for the next renewal.
    var autoRenewPlan: BillingPlanType
    /// Whether the customer lets it renew: for a commitment, after its last payment.
    var willAutoRenew: Bool
    var paymentFails: Bool
    /// An offer with payments to come.
    var offerInUse: OfferInUse?
    /// The win-back offers that the customer may have once the subscription has expired, the best first.
    var eligibleWinBackOfferIds: [String] = []
    /// When the customer last changed it, before which nothing more is charged; `nil` where nobody has.
    var lastChange: Timestamp?

    var originalTransactionId: String { latest.originalTransactionId }

    var transactions: [StoreTransaction] { earlier + period }

    func transaction(_ id: String) -> StoreTransaction? { transactions.first { $0.transactionId == id } }

    /// `status` of the Server API: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
    var status: Int64 {
        switch phase {
        case .current: 1
        case .expired: 2
        case .billingRetry: 3
        case .gracePeriod: 4
        case .revoked: 5
        }
    }

    /// Whether payments of a commitment are still to come, which the customer makes even after cancelling it.
    var isCommitted: Bool {
        guard let commitment = latest.commitment, status != 2, status != 5 else { return false }
        return !commitment.isLast
    }

    var renewsNextPeriod: Bool { willAutoRenew || isCommitted }

    /// The product that the next payment is for: a commitment runs to its end before another one begins.
    var nextProductId: String { isCommitted ? latest.productId : autoRenewProductId }

    var nextPlan: BillingPlanType { isCommitted ? .monthly : autoRenewPlan }

    var nextOffer: StoreOffer? {
        let isForLater = nextProductId != autoRenewProductId || nextPlan != autoRenewPlan
        return isForLater ? nil : offerInUse?.offer
    }

    /// The number of days for which the App Store tries a failed payment again.
    var billingRetryDays: Int64 { latest.commitment == nil ? 60 : 90 }

    /// The number of days for which the customer keeps access after a failed payment; 0 with a commitment.
    func gracePeriodDays(in app: StoreApp) -> Int { latest.commitment == nil ? app.gracePeriodDays : 0 }

    /// `expirationIntent`: why it does not go on; 2 is a failed payment.
    var expirationIntent: Int64? {
        switch phase {
        case .expired(let intent): intent
        case .gracePeriod, .billingRetry: 2
        case .current, .revoked: nil
        }
    }

    var isInBillingRetryPeriod: Bool { status == 3 || status == 4 }

    var gracePeriodExpires: Timestamp? {
        if case .gracePeriod(let end) = phase { end } else { nil }
    }

    /// When time changes it next; `nil` when it has ended.
    func nextChange(in app: StoreApp) -> Timestamp? {
        switch phase {
        case .current: chargeDate(in: app)
        case .gracePeriod(let until), .billingRetry(let until): until
        case .expired, .revoked: nil
        }
    }

    /// When the next period is charged: at the end of the latest one if it is not, or cannot be, charged ahead.
    private func chargeDate(in app: StoreApp) -> Timestamp {
        guard renewsNextPeriod, !paymentFails else { return latest.expiresDate }
        let ahead = latest.expiresDate.adding(seconds: Int64(-app.renewsAheadHours) * 3600)
        // One period is charged ahead at most, and nothing before the customer wanted it.
        return max(min(max(ahead, lastChange ?? ahead), latest.expiresDate), latest.purchaseDate)
    }

    /// `recentSubscriptionStartDate`: where the series of purchases began, in which gaps below 60 days are none.
    var recentStart: Timestamp {
        let paid = transactions.filter { $0.revocation == nil }
        return zip(paid, paid.dropFirst()).reduce(latest.originalPurchaseDate) { start, pair in
            let (before, after) = pair
            let isGap = before.expiresDate.adding(seconds: 60 * Timestamp.day) <= after.purchaseDate
            return isGap ? after.purchaseDate : start
        }
    }

    var hasEnded: Bool { status == 2 || status == 5 }

    var hasAccess: Bool { status == 1 || status == 4 }
}

extension StoreSubscription {
    /// Begins a subscription in a group that the customer was never in.
    init(buying payment: Payment, numbers: inout TransactionNumbers) {
        latest = payment.transaction(.purchase, numbers: &numbers)
        earlier = []
        phase = .current
        autoRenewProductId = payment.product.id
        autoRenewPlan = payment.plan
        willAutoRenew = true
        paymentFails = false
        offerInUse = payment.offer.map { OfferInUse($0) }
        payAtOffer()
    }

    /// Buys in the group of this subscription, and returns what the App Store notifies of.
    ///
    /// Without access, the purchase begins now. With access, one of a higher level begins now, and everything else at
    /// the next renewal, an offer on the same product too ("Auto-renewable subscriptions", Apple). A commitment ends
    /// early for a higher level alone.
    mutating func buy(
        _ payment: Payment,
        insteadOf old: StoreProduct?,
        numbers: inout TransactionNumbers
    ) -> (StoreEvent.Kind, StoreEvent.Subtype?) {
        let (product, plan) = (payment.product, payment.plan)
        willAutoRenew = true
        paymentFails = false
        offerInUse = payment.offer.map { OfferInUse($0) }
        guard status == 1, let old else {
            begin(payment, .purchase, numbers: &numbers)
            return (.subscribed, .resubscribe)
        }
        let hasOffer = payment.offer != nil
        let isSamePlan = plan == latest.plan
        let isUpgrade = product.level < old.level
        let isEqual = product.level == old.level && product.period == old.period && isSamePlan
        if product.id != old.id, isUpgrade || isEqual {
            changePeriod { $0.isUpgraded = true }
            // The one that runs, if the latest was charged ahead.
            for index in earlier.indices where earlier[index].expiresDate > payment.start {
                earlier[index].isUpgraded = true
            }
            begin(payment, .purchase, numbers: &numbers)
            return hasOffer ? (.offerRedeemed, .upgrade) : (.didChangeRenewalPreference, .upgrade)
        }
        autoRenewProductId = product.id
        autoRenewPlan = plan
        if product.id == old.id, isSamePlan {
            return hasOffer ? (.offerRedeemed, nil) : (.didChangeRenewalStatus, .autoRenewEnabled)
        }
        return hasOffer ? (.offerRedeemed, .downgrade) : (.didChangeRenewalPreference, .downgrade)
    }
}

extension StoreSubscription {
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
            let charge = chargeDate(in: app)
            guard charge <= now else { return nil }
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
            return StoreEvent(.didRenew, at: charge, self)
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

    mutating func begin(
        _ payment: Payment,
        _ reason: StoreTransaction.Reason,
        numbers: inout TransactionNumbers
    ) {
        var number = 1
        if reason == .renewal, isCommitted, let commitment = latest.commitment { number = commitment.number + 1 }
        var payment = payment
        payment.holding = nextHolding
        earlier += period
        besides = []
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

/// The place of a payment in a 12-month commitment (`commitmentInfo` of a signed transaction).
struct Commitment: Equatable, Sendable {
    /// How many payments a commitment has (`totalBillingPeriods`).
    static let billingPeriods = 12

    /// The payment's number, from 1 (`billingPeriodNumber`).
    let number: Int
    /// What all payments cost, in thousandths of the currency's unit (`commitmentPrice`).
    let price: Int64
    /// When the last of the payments ends (`commitmentExpiresDate`).
    let expires: Timestamp

    /// The place of the payment that ends at a moment: a late payment moves the end of the commitment with it.
    init(number: Int, price: Int64, periodEnds end: Timestamp) {
        self.number = number
        self.price = price
        expires = SubscriptionPeriod.month.after(end, times: Self.billingPeriods - number)
    }

    var isLast: Bool { number >= Self.billingPeriods }
}

/// An offer that a customer has redeemed, with the payments that are still to come at its price.
struct OfferInUse: Equatable, Sendable {
    let offer: StoreOffer
    var paymentsLeft: Int

    /// Redeems an offer; nothing is paid yet.
    init(_ offer: StoreOffer) {
        self.offer = offer
        self.paymentsLeft = offer.mode == .payAsYouGo ? offer.periods : 1
    }
}
