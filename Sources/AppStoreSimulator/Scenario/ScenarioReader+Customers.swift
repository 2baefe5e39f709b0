import Offers

extension ScenarioReader {
    /// Reads a customer.
    ///
    /// - Parameters:
    ///   - node: The mapping.
    ///   - world: Where the customer is added.
    /// - Throws: `SimulatorFault` with the first fault.
    func addCustomer(_ node: ScenarioNode, to world: inout AppStoreWorld) throws(SimulatorFault) {
        let customer = try node.mapping(
            "name",
            "count",
            "bundleId",
            "environment",
            "appAccountToken",
            "subscriptions"
        )
        let nameNode = try customer.required("name")
        let name = try nameNode.value("a name of letters, digits and hyphens") { text in
            text.utf8.allSatisfy(Self.isNameByte) ? text : nil
        }
        let app: StoreApp
        if let node = customer["bundleId"] {
            app = try node.value("the bundleId of one of the apps") { [world] in world.app($0) }
        } else if world.apps.count == 1 {
            app = world.apps[0]
        } else {
            throw node.fault("has no bundleId; with several apps, one is needed")
        }
        let environment = try customer["environment"]?.value("Production or Sandbox") { text in
            AppStoreEnvironment(rawValue: text).flatMap { [.production, .sandbox].contains($0) ? $0 : nil }
        }
        let account = try customer["appAccountToken"]?.value("a UUID") { AppAccountToken($0)?.lowercased }
        let count = try customer["count"]?.integer(1...100_000)
        if count != nil, let node = customer["appAccountToken"] {
            throw node.fault("is for one customer; leave it or count out")
        }
        let now = world.clock.now
        var plans: [SubscriptionPlan] = []
        for node in try customer.list("subscriptions") {
            let plan = try plan(node, app, account, at: now)
            guard !plans.contains(where: { $0.product.groupId == plan.product.groupId }) else {
                throw node.fault("is the customer's second one in its group; one is possible")
            }
            plans.append(plan)
        }
        for number in 1...(count ?? 1) {
            let name = count == nil ? name : "\(name)-\(number)"
            guard world.customer(name) == nil else { throw nameNode.fault("makes \(name) the name of two customers") }
            world.customers.add(
                StoreCustomer(
                    name: name,
                    bundleId: app.bundleId,
                    environment: environment ?? .production,
                    appTransactionId: String(7_000_000_000_000_001 + world.customers.all.count),
                    subscriptions: plans.map { $0.subscription(at: now, in: app, numbers: &world.numbers) }
                )
            )
        }
    }

    private func plan(
        _ node: ScenarioNode,
        _ app: StoreApp,
        _ account: String?,
        at now: Timestamp
    ) throws(SimulatorFault) -> SubscriptionPlan {
        let keys = try node.mapping(
            "product",
            "billingPlanType",
            "state",
            "periods",
            "introductory",
            "redeemed",
            "retentionOffer",
            "revocationPercentage",
            "eligibleWinBackOfferIds",
            "upgradedTo",
            "expiresAt"
        )
        let product = try keys.required("product").value("a product of the app") { app.product($0) }
        let stateNode = try keys.required("state")
        let state: CustomerState = try stateNode.choice()
        let plan = try billingPlan(keys["billingPlanType"], of: product)
        var offers: [StoreOffer] = []
        if let node = keys["introductory"], try node.boolean() {
            guard let offer = product.introductoryOffer, offer.plan == plan else {
                throw node.fault("needs a product that has such an offer")
            }
            offers.append(offer)
        }
        for node in try keys.list("redeemed") {
            offers.append(
                try node.value("a promotional offer of the product, for the billing plan,") { id in
                    product.offer(id).flatMap { $0.plan == plan ? $0 : nil }
                }
            )
        }
        let retentionOffer = try keys["retentionOffer"]?.value(
            "a retention offer of the product, for the billing plan,"
        ) { id in
            product.retentionOffer(id).flatMap { $0.plan == plan ? $0 : nil }
        }
        // A commitment that was not renewed has had its last payment.
        let usual: Int64 = plan == .monthly && state == .lapsed ? Int64(Commitment.billingPeriods) : 2
        let periods = max(
            Int(try keys["periods"]?.integer(1...1000) ?? usual),
            offers.count + (retentionOffer == nil ? 0 : 1)
        )
        if plan == .monthly {
            if state == .gracePeriod { throw stateNode.fault("is gracePeriod, which a commitment has none of") }
            guard state != .lapsed || periods % Commitment.billingPeriods == 0 else {
                throw stateNode.fault("is lapsed; a commitment lapses after 12 periods, or 24, and so on")
            }
        }
        let percentages = 1...StoreTransaction.Revocation.wholePercentage
        let revocationPercentage = try keys["revocationPercentage"].map { (node) throws(SimulatorFault) in
            guard state == .refunded else { throw node.fault("is for the state refunded alone") }
            return try node.integer(percentages)
        }
        var expires: Timestamp?
        if let node = keys["expiresAt"] {
            let moment = try node.value("a moment such as 2026-01-20T10:00:00Z") { Timestamp(rfc3339: $0) }
            guard (moment > now) == state.isPaidAhead else {
                let side = state.isPaidAhead ? "ahead of" : "behind"
                throw node.fault("does not suit \(state.rawValue), which needs a moment \(side) the clock")
            }
            expires = moment
        }
        if state == .gracePeriod, app.gracePeriodDays < 3 {
            throw stateNode.fault("is gracePeriod; the app needs gracePeriodDays of 3 or more")
        }
        var target: StoreProduct?
        if state == .upgraded {
            target = try keys.required("upgradedTo").value("another product of the group") { id in
                app.product(id).flatMap { $0.groupId == product.groupId && $0.id != product.id ? $0 : nil }
            }
        } else if let node = keys["upgradedTo"] {
            throw node.fault("is for the state upgraded alone")
        }
        return SubscriptionPlan(
            product: product,
            plan: plan,
            state: state,
            periods: periods,
            offers: offers,
            retentionOffer: retentionOffer,
            expires: expires,
            upgradedTo: target,
            revocationPercentage: revocationPercentage ?? percentages.upperBound,
            eligibleWinBackOfferIds: try keys.list("eligibleWinBackOfferIds").map { (node) throws(SimulatorFault) in
                try node.text()
            },
            account: account
        )
    }

    private func billingPlan(
        _ node: ScenarioNode?,
        of product: StoreProduct
    ) throws(SimulatorFault) -> BillingPlanType {
        guard let node else { return .billedUpfront }
        let plan: BillingPlanType = try node.choice()
        guard product.has(plan) else { throw node.fault("is MONTHLY, for which the product needs a monthlyPrice") }
        return plan
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
