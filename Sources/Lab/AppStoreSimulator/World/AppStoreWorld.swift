import Offers

/// All that the simulated App Store knows: a value, changed under one lock.
struct AppStoreWorld: Sendable {
    var clock: SimulatedClock
    var apps: [StoreApp]
    var connect = ConnectTeam()
    var customers = CustomerList()
    var nonces: Set<String> = []
    /// The notifications, oldest first.
    var notifications: [StoreNotification] = []
    /// The tests of endpoints, oldest first.
    var performanceTests: [PerformanceTest] = []
    var faults: [InjectedFault] = []
    var numbers: TransactionNumbers

    func app(_ bundleId: String) -> StoreApp? { apps.first { $0.bundleId == bundleId } }

    func customer(_ name: String) -> StoreCustomer? { customers.index(named: name).map { customers.all[$0] } }

    /// Changes an app; one that is not known is the fault of the member `bundleId`.
    mutating func changeApp(_ bundleId: String, _ change: (inout StoreApp) throws -> Void) throws -> StoreApp {
        guard let index = apps.firstIndex(where: { $0.bundleId == bundleId }) else {
            throw RequestFault.member("bundleId", "No such app is known.")
        }
        try change(&apps[index])
        return apps[index]
    }

    func notifications(of bundleId: String, in environment: AppStoreEnvironment) -> [StoreNotification] {
        notifications.filter { $0.bundleId == bundleId && $0.environment == environment }
    }

    /// Signs the notifications of a change, and keeps them, to be sent.
    mutating func notify(_ change: Change, _ signer: AppStoreSigner) {
        let (customer, events) = change
        guard let app = app(customer.bundleId) else { return }
        let environment = customer.environment
        notifications += events.map {
            StoreNotification($0, app: app, environment: environment, customer: customer, signer: signer)
        }
    }
}

extension AppStoreWorld {
    /// The customer whose subscription changed, and the events.
    typealias Change = (customer: StoreCustomer, events: [StoreEvent])

    /// Changes a subscription of the customer who has a transaction: the one that is known by it, unless another is meant.
    mutating func changeSubscription(
        of id: String,
        where isMeant: (StoreSubscription, String) -> Bool = { $0.originalTransactionId == $1 },
        _ change: (inout StoreSubscription, StoreApp, inout TransactionNumbers) throws(RequestFault) -> [StoreEvent]
    ) throws(RequestFault) -> Change {
        guard let index = customers.index(owning: id), let app = app(customers.all[index].bundleId),
            let position = customers.all[index].subscriptions.firstIndex(where: { isMeant($0, id) })
        else { throw Self.noTransaction }
        var subscription = customers.all[index].subscriptions[position]
        let events = try change(&subscription, app, &numbers)
        subscription.lastChange = clock.now
        customers.set(subscription, at: position, of: index)
        return (customers.all[index], events)
    }

    private static let noTransaction = RequestFault.notFound(
        "No customer has that transaction; GET /simulator/customers lists them."
    )

    /// Refunds a transaction, or ends the share or seat of somebody who did not pay for it.
    ///
    /// The subscription ends with its newest period; an older one changes nothing else.
    mutating func revoke(_ id: String, _ kind: StoreTransaction.Revocation.Kind) throws(RequestFault) -> Change {
        let now = clock.now
        return try changeSubscription(of: id, where: { $0.transaction($1) != nil }) {
            (subscription, _, _) throws(RequestFault) in
            guard let transaction = subscription.transaction(id) else { throw Self.noTransaction }
            guard transaction.revocation == nil else {
                throw .member("transactionId", "The transaction was refunded, or revoked, before.")
            }
            let ownership = transaction.ownership
            guard kind.ownership == ownership else {
                let route = "POST /simulator/\(ownership.revocationRoute)"
                throw .member("transactionId", "The transaction is \(ownership.rawValue); \(route) ends it.")
            }
            subscription.revoke(transaction, StoreTransaction.Revocation(date: now, kind: kind))
            let type: StoreEvent.Kind = ownership == .purchased ? .refund : .revoke
            return [StoreEvent(type, at: now, subscription, about: subscription.transaction(id))]
        }
    }

    /// Redeems a retention offer, as a customer does on the cancellation page: it begins with the next payment.
    mutating func redeemRetentionOffer(_ offerId: String, for id: String) throws(RequestFault) -> Change {
        let now = clock.now
        return try changeSubscription(of: id) { (subscription, app, _) throws(RequestFault) in
            guard subscription.status == 1 else {
                throw .member("originalTransactionId", "The subscription is not active: there is nothing to cancel.")
            }
            let latest = subscription.latest
            guard let offer = app.product(latest.productId)?.retentionOffer(offerId), offer.plan == latest.plan else {
                throw .member(
                    "offerId",
                    "\(latest.productId), \(latest.plan.rawValue), has no such retention offer; set one up in "
                        + "app-store.yaml."
                )
            }
            subscription.willAutoRenew = true
            subscription.autoRenewProductId = latest.productId
            subscription.autoRenewPlan = latest.plan
            subscription.offerInUse = OfferInUse(offer)
            return [StoreEvent(.offerRedeemed, at: now, subscription)]
        }
    }

    /// Changes whether a subscription renews, or whether its payments fail.
    ///
    /// A payment that no longer fails is made at once.
    mutating func change(_ id: String, willAutoRenew: Bool?, paymentFails: Bool?) throws(RequestFault) -> Change {
        let now = clock.now
        return try changeSubscription(of: id) { (subscription, app, numbers) throws(RequestFault) in
            var events: [StoreEvent] = []
            if let willAutoRenew, willAutoRenew != subscription.willAutoRenew {
                guard subscription.hasAccess else {
                    throw .member("autoRenew", "The subscription has ended; buy it again by POST /simulator/purchases.")
                }
                subscription.willAutoRenew = willAutoRenew
                let subtype: StoreEvent.Subtype = willAutoRenew ? .autoRenewEnabled : .autoRenewDisabled
                events.append(StoreEvent(.didChangeRenewalStatus, subtype, at: now, subscription))
            }
            guard let paymentFails else { return events }
            subscription.paymentFails = paymentFails
            if !paymentFails, subscription.isInBillingRetryPeriod,
                subscription.renew(at: now, in: app, numbers: &numbers)
            {
                events.append(StoreEvent(.didRenew, .billingRecovery, at: now, subscription))
            }
            return events
        }
    }
}

extension AppStoreWorld {
    typealias Purchase = (customer: StoreCustomer, subscription: StoreSubscription, event: StoreEvent)

    /// Buys a subscription, or refuses as StoreKit does.
    mutating func purchase(_ request: PurchaseRequest) throws -> Purchase {
        guard let index = customers.index(named: request.customer),
            let app = app(customers.all[index].bundleId)
        else {
            throw RequestFault.notFound(
                "No customer is named \(request.customer); GET /simulator/customers lists them."
            )
        }
        guard let product = app.product(request.productId) else {
            throw StoreKitError(.storeProductNotAvailable, "The app has no product \(request.productId).")
        }
        let plan = request.billingPlanType
        guard product.has(plan) else {
            throw RequestFault.member("billingPlanType", "\(product.id) has no monthlyPrice in app-store.yaml.")
        }
        let now = clock.now
        let customer = customers.all[index]
        let rules = StoreKitRules(
            app: app,
            customer: customer,
            product: product,
            account: request.account,
            now: now
        )
        var offer: StoreOffer?
        if let parameters = request.offer {
            let found = try rules.offer(parameters, nonces: &nonces)
            guard found.plan == plan else {
                throw StoreKitError(.invalidOfferIdentifier, "The offer is for the other billing plan.")
            }
            offer = found
        } else if let text = request.introductoryOfferEligibility {
            if try rules.allowsIntroductoryOffer(text, nonces: &nonces) { offer = product.introductoryOffer }
        } else if !customer.hasUsedIntroductoryOffer(in: product.groupId) {
            offer = product.introductoryOffer
        }
        // The introductory offer of the other billing plan is none of this one's.
        if offer?.plan != plan { offer = nil }
        let account = request.account.storedToken?.lowercased
        let payment = Payment(product: product, plan: plan, offer: offer, start: now, account: account)
        guard let position = customer.ownSubscription(in: product.groupId) else {
            let subscription = StoreSubscription(buying: payment, numbers: &numbers)
            customers.set(subscription, at: nil, of: index)
            let event = StoreEvent(.subscribed, .initialBuy, at: now, subscription)
            return (customers.all[index], subscription, event)
        }
        var subscription = customer.subscriptions[position]
        let old = app.product(subscription.latest.productId)
        let (kind, subtype) = subscription.buy(payment, insteadOf: old, numbers: &numbers)
        subscription.lastChange = now
        customers.set(subscription, at: position, of: index)
        let event = StoreEvent(kind, subtype, at: now, subscription)
        return (customers.all[index], subscription, event)
    }
}

extension AppStoreWorld {
    /// Whether the clock has reached a moment at which a subscription renews or ends.
    var isDue: Bool { customers.nextChange <= clock.now }

    /// Lets subscriptions renew and end, as far as the clock says.
    mutating func advance(signer: AppStoreSigner) {
        let now = clock.now
        for index in customers.all.indices {
            guard let app = app(customers.all[index].bundleId) else { continue }
            for (position, subscription) in customers.all[index].subscriptions.enumerated() {
                var subscription = subscription
                let events = subscription.advance(to: now, in: app, numbers: &numbers)
                guard !events.isEmpty else { continue }
                customers.set(subscription, at: position, of: index)
                notify((customers.all[index], events), signer)
            }
        }
        customers.findNextChange(in: apps)
    }
}
