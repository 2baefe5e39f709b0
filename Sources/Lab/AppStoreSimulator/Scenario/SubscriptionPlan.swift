import Offers

/// A customer's subscription as `app-store.yaml` describes it.
struct SubscriptionPlan {
    let product: StoreProduct
    let plan: BillingPlanType
    let state: CustomerState
    let periods: Int
    /// The offers that the first periods were paid at.
    var offers: [StoreOffer] = []
    /// The retention offer that the latest period was paid at.
    var retentionOffer: StoreOffer?
    /// When the latest period ends; `nil` for what suits the state.
    var expires: Timestamp?
    /// The product that the customer moved to, when the state is upgraded.
    var upgradedTo: StoreProduct?
    /// How much of the latest payment was refunded, when the state is refunded, in thousandths of a percent.
    var revocationPercentage = StoreTransaction.Revocation.wholePercentage
    /// The win-back offers that the customer may have once the subscription has expired, the best first.
    var eligibleWinBackOfferIds: [String] = []
    var account: String?
    var holding = Holding()
    /// How it ended when the customer moved to another original transaction id; `nil` for no such move.
    var idChange: IdChange?

    /// When the latest period ends, by the state: ahead by half a period, or ago by so many days.
    func end(at now: Timestamp) -> Timestamp {
        if let expires { return expires }
        switch state {
        case .gracePeriod: return now.adding(seconds: -2 * Timestamp.day)
        case .billingRetry: return now.adding(seconds: -30 * Timestamp.day)
        case .lapsed: return now.adding(seconds: -40 * Timestamp.day)
        case .active, .activeAutoRenewOff, .refunded, .upgraded, .familyShared, .familyRevoked, .assigned,
            .assignmentRevoked:
            return now.towards(length(periods - 1).after(now), percent: 50)
        }
    }

    /// Builds the subscription, as it is at a moment; after a move to another id, the old one and the new one.
    func subscriptions(
        at now: Timestamp,
        in app: StoreApp,
        numbers: inout TransactionNumbers
    ) throws(SimulatorFault) -> [StoreSubscription] {
        var subscription = subscription(at: now, in: app, numbers: &numbers)
        guard subscription.status == state.status else {
            throw SimulatorFault(
                "cannot be \(state.rawValue) by \(product.id): look at periods, expiresAt, billingPlanType and the app's "
                    + "gracePeriodDays"
            )
        }
        guard let idChange else { return [subscription] }
        let begun = subscription.transactions.last { $0.purchaseDate <= now } ?? subscription.latest
        let moved = begun.purchaseDate.towards(now, percent: 50)
        let next = subscription.changeId(idChange, at: moved, in: app, numbers: &numbers)
        return [subscription] + (next.map { [$0] } ?? [])
    }

    /// Builds the subscription as it is at a moment, whatever state it is in then.
    func subscription(
        at now: Timestamp,
        in app: StoreApp,
        numbers: inout TransactionNumbers
    ) -> StoreSubscription {
        let payments = payments(until: end(at: now))
        var subscription = StoreSubscription(buying: payments[0], numbers: &numbers)
        for payment in payments.dropFirst() {
            subscription.offerInUse = payment.offer.map { OfferInUse($0) }
            subscription.begin(payment, .renewal, numbers: &numbers)
        }
        subscription.willAutoRenew = state != .lapsed && state != .activeAutoRenewOff
        // The promotional offers named are over; a retention offer goes on for as many payments as it has.
        if retentionOffer == nil || !subscription.willAutoRenew { subscription.offerInUse = nil }
        subscription.paymentFails = state == .gracePeriod || state == .billingRetry
        subscription.eligibleWinBackOfferIds = eligibleWinBackOfferIds
        let halfway = subscription.latest.purchaseDate.towards(now, percent: 50)
        switch state {
        case .refunded: revoke(&subscription, .refund(percentage: revocationPercentage), at: halfway)
        case .familyRevoked: revoke(&subscription, .familyRevoke, at: halfway)
        case .assignmentRevoked: revoke(&subscription, .assignmentRevoke, at: halfway)
        case .upgraded:
            subscription.latest.isUpgraded = true
            let target = upgradedTo ?? product
            subscription.begin(
                Payment(product: target, plan: .billedUpfront, offer: nil, start: halfway, account: account),
                .purchase,
                numbers: &numbers
            )
        default: break
        }
        // The description's events have happened already: nobody is notified of them.
        _ = subscription.advance(to: now, in: app, numbers: &numbers)
        return subscription
    }

    private func revoke(
        _ subscription: inout StoreSubscription,
        _ kind: StoreTransaction.Revocation.Kind,
        at date: Timestamp
    ) {
        subscription.revoke(subscription.latest, StoreTransaction.Revocation(date: date, kind: kind))
    }

    /// The offer that one of the periods was paid at, counted from 0.
    private func offer(_ number: Int) -> StoreOffer? {
        number < offers.count ? offers[number] : number == periods - 1 ? retentionOffer : nil
    }

    /// How long one of the periods lasted: at an offer, as long as the offer's.
    private func length(_ number: Int) -> SubscriptionPeriod { offer(number)?.period ?? product.period(plan) }

    /// The payments of the periods, each of which ends where the next begins.
    private func payments(until end: Timestamp) -> [Payment] {
        var bounds = [end]
        var (last, count) = (end, 0)
        for number in (0..<periods).reversed() {
            // Periods of one length are counted from one moment: month by month, the 31st would become the 28th.
            if number < periods - 1, length(number) != length(number + 1) { (last, count) = (bounds[0], 0) }
            count += 1
            bounds.insert(length(number).after(last, times: -count), at: 0)
        }
        return (0..<periods).map { number in
            Payment(
                product: product,
                plan: plan,
                offer: offer(number),
                start: bounds[number],
                end: bounds[number + 1],
                account: account,
                holding: holding
            )
        }
    }
}

/// The states that a customer's subscription can be described with.
package enum CustomerState: String, CaseIterable, Decodable, Sendable {
    /// Paid for, and renews.
    case active
    /// Paid for, and ends with the period.
    case activeAutoRenewOff
    /// The payment failed; the customer keeps access.
    case gracePeriod
    /// The payment failed; the App Store tries again.
    case billingRetry
    case lapsed
    case refunded
    /// The customer moved to a product of a higher level.
    case upgraded
    /// Active, and paid by another member of the family.
    case familyShared
    /// Paid by another member of the family, who has stopped sharing.
    case familyRevoked
    /// Active, and paid by an organisation or by a group's purchaser.
    case assigned
    /// Paid by an organisation or by a group's purchaser, who has taken the seat away.
    case assignmentRevoked

    package init(from decoder: any Decoder) throws {
        guard let state = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) else {
            let states = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "is none of \(states)")
            )
        }
        self = state
    }

    /// The `status` of the Server API that it comes to.
    var status: Int64 {
        switch self {
        case .active, .activeAutoRenewOff, .upgraded, .familyShared, .assigned: 1
        case .lapsed: 2
        case .billingRetry: 3
        case .gracePeriod: 4
        case .refunded, .familyRevoked, .assignmentRevoked: 5
        }
    }

    var ownership: Ownership {
        switch self {
        case .familyShared, .familyRevoked: .familyShared
        case .assigned, .assignmentRevoked: .assigned
        case .active, .activeAutoRenewOff, .gracePeriod, .billingRetry, .lapsed, .refunded, .upgraded: .purchased
        }
    }
}
