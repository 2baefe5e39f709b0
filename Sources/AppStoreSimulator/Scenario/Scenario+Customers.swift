import Offers

extension Scenario.Customer {
    /// Adds the customer, or as many as there are of the kind.
    func add(to world: inout AppStoreWorld) throws(SimulatorFault) {
        guard let app = bundleId.map(world.app) ?? (world.apps.count == 1 ? world.apps[0] : nil) else {
            throw SimulatorFault("needs the bundleId of one of the apps")
        }
        guard let environment = AppStoreEnvironment(rawValue: environment ?? "Production"),
            [.production, .sandbox].contains(environment)
        else { throw SimulatorFault("has an environment other than Production and Sandbox") }
        let account = appAccountToken.flatMap { AppAccountToken($0)?.lowercased }
        guard account != nil || appAccountToken == nil else {
            throw SimulatorFault("has an appAccountToken that is no UUID")
        }
        guard (1...100_000).contains(count ?? 1) else { throw SimulatorFault("has a count of 1 to 100000") }
        let now = world.clock.now
        var plans: [SubscriptionPlan] = []
        for subscription in subscriptions ?? [] { plans.append(try subscription.plan(in: app, account)) }
        for number in 1...(count ?? 1) {
            let name = count == nil ? name : "\(name)-\(number)"
            guard world.customer(name) == nil else { throw SimulatorFault("has the name of another one, \(name)") }
            var subscriptions: [StoreSubscription] = []
            for plan in plans { subscriptions.append(try plan.subscription(at: now, in: app, numbers: &world.numbers)) }
            world.customers.add(
                StoreCustomer(
                    name: name,
                    bundleId: app.bundleId,
                    environment: environment,
                    appTransactionId: String(7_000_000_000_000_001 + world.customers.all.count),
                    subscriptions: subscriptions
                )
            )
        }
    }
}

extension Scenario.Subscription {
    fileprivate func plan(in app: StoreApp, _ account: String?) throws(SimulatorFault) -> SubscriptionPlan {
        guard let product = app.product(product) else { throw SimulatorFault("has \(product), no product of the app") }
        let plan = billingPlanType ?? .billedUpfront
        var offers: [StoreOffer?] = introductory == true ? [product.introductoryOffer] : []
        offers += (redeemed ?? []).map(product.offer)
        let retention = retentionOffer.map { [product.retentionOffer($0)] } ?? []
        guard product.has(plan), (offers + retention).allSatisfy({ $0?.plan == plan }) else {
            throw SimulatorFault("has a billing plan or an offer that \(product.id) does not have, or not together")
        }
        let target = upgradedTo.flatMap(app.product)
        guard state != .upgraded || target != nil else {
            throw SimulatorFault("needs upgradedTo, a product of the app")
        }
        // A commitment that was not renewed has had its last payment.
        let usual = plan == .monthly && state == .lapsed ? Commitment.billingPeriods : 2
        let percentages = 1...StoreTransaction.Revocation.wholePercentage
        guard (1...1000).contains(periods ?? usual), percentages.contains(revocationPercentage ?? 1) else {
            throw SimulatorFault(
                "has periods of 1 to 1000 and a revocationPercentage of 1 to \(percentages.upperBound)"
            )
        }
        return SubscriptionPlan(
            product: product,
            plan: plan,
            state: state,
            periods: max(periods ?? usual, offers.count + retention.count),
            offers: offers.compactMap(\.self),
            retentionOffer: retention.first ?? nil,
            expires: expiresAt.map { Timestamp($0) },
            upgradedTo: target,
            revocationPercentage: revocationPercentage ?? percentages.upperBound,
            eligibleWinBackOfferIds: eligibleWinBackOfferIds ?? [],
            account: account
        )
    }
}
