import Offers

extension AppStoreWorld {
    /// What a purchase led to.
    struct Purchase {
        /// Whose it is, after it.
        let customer: StoreCustomer
        /// The subscription, after it.
        let subscription: StoreSubscription
        /// What happened.
        let event: StoreEvent
    }

    /// Buys a subscription, or refuses as StoreKit does.
    ///
    /// - Parameter request: What the client set.
    /// - Returns: What it led to.
    /// - Throws: `StoreKitError` when StoreKit refuses, ``RequestFault`` when there is no such customer.
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
        let own = customer.subscriptions.firstIndex {
            $0.latest.groupId == product.groupId && !$0.latest.isFamilyShared
        }
        guard let position = own else {
            let subscription = StoreSubscription(buying: payment, numbers: &numbers)
            customers.set(subscription, at: nil, of: index)
            let event = StoreEvent(.subscribed, .initialBuy, at: now, subscription)
            return Purchase(customer: customers.all[index], subscription: subscription, event: event)
        }
        var subscription = customer.subscriptions[position]
        let old = app.product(subscription.latest.productId)
        let (kind, subtype) = subscription.buy(payment, insteadOf: old, numbers: &numbers)
        customers.set(subscription, at: position, of: index)
        let event = StoreEvent(kind, subtype, at: now, subscription)
        return Purchase(customer: customers.all[index], subscription: subscription, event: event)
    }
}
