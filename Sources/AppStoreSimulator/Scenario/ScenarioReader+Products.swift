import Offers

extension ScenarioReader {
    /// Reads a product.
    ///
    /// - Parameters:
    ///   - node: Its mapping.
    ///   - groupId: The subscription group.
    /// - Returns: The product.
    /// - Throws: `SimulatorFault` with the first fault.
    func product(_ node: ScenarioNode, _ groupId: String) throws(SimulatorFault) -> StoreProduct {
        let product = try node.mapping(
            "id",
            "level",
            "price",
            "period",
            "monthlyPrice",
            "introductoryOffer",
            "offers",
            "retentionOffers"
        )
        let period = try product["period"].map { (node) throws(SimulatorFault) in try self.period(node) }
        guard let period = period ?? SubscriptionPeriod("P1M") else { throw node.fault("has no period; it is needed") }
        let monthlyPrice = try product["monthlyPrice"].map { (node) throws(SimulatorFault) in
            guard period.text == "P1Y" else { throw node.fault("is for products with the period P1Y alone") }
            return try price(node)
        }
        let introductory = try product["introductoryOffer"].map { (node) throws(SimulatorFault) in
            try offer(node, .introductory, period)
        }
        let all = try offers(product, "offers", .promotional, period)
        let retention = try offers(product, "retentionOffers", .retention, period)
        for offer in all + retention + [introductory].compactMap({ $0 }) where offer.plan == .monthly {
            guard monthlyPrice != nil else {
                throw node.fault("has a MONTHLY offer, for which it needs a monthlyPrice")
            }
        }
        return StoreProduct(
            id: try product.required("id").text(),
            groupId: groupId,
            level: Int(try product["level"]?.integer(1...100) ?? 1),
            price: try product["price"].map { (node) throws(SimulatorFault) in try price(node) } ?? 9990,
            period: period,
            monthlyPrice: monthlyPrice,
            introductoryOffer: introductory,
            offers: all,
            retentionOffers: retention
        )
    }

    private func offers(
        _ product: ScenarioMapping,
        _ key: String,
        _ kind: StoreOffer.Kind,
        _ period: SubscriptionPeriod
    ) throws(SimulatorFault) -> [StoreOffer] {
        var offers: [StoreOffer] = []
        for node in try product.list(key) {
            let offer = try offer(node, kind, period)
            guard !offers.contains(where: { $0.id == offer.id }) else {
                throw node.fault("has the id of another offer")
            }
            offers.append(offer)
        }
        return offers
    }

    private func offer(
        _ node: ScenarioNode,
        _ kind: StoreOffer.Kind,
        _ period: SubscriptionPeriod
    ) throws(SimulatorFault) -> StoreOffer {
        let offer = try node.mapping(
            "id",
            "billingPlanType",
            "mode",
            "price",
            "period",
            "periods",
            "priceNoLongerValid"
        )
        if kind == .introductory, let id = offer["id"] {
            throw id.fault("is not for introductory offers, which have none")
        }
        var mode = StoreOffer.PaymentMode.payAsYouGo
        if let node = offer["mode"] { mode = try node.choice() }
        var plan = BillingPlanType.billedUpfront
        if let node = offer["billingPlanType"] { plan = try node.choice() }
        if plan == .monthly, mode != .payAsYouGo {
            throw node.fault("is MONTHLY, which here is for payAsYouGo alone")
        }
        let periods = try offer["periods"]?.integer(1...36) ?? 1
        if mode != .payAsYouGo, periods > 1 {
            throw node.fault("has periods, which are for payAsYouGo; give the whole time as period")
        }
        if mode == .payAsYouGo, let node = offer["period"] {
            throw node.fault("is not for payAsYouGo, which has the product's; give how many as periods")
        }
        if mode == .freeTrial, let node = offer["price"] {
            throw node.fault("is not for freeTrial, which costs nothing")
        }
        return StoreOffer(
            kind: kind,
            id: kind == .introductory ? nil : try offer.required("id").text(),
            plan: plan,
            mode: mode,
            price: mode == .freeTrial
                ? 0 : try offer["price"].map { (node) throws(SimulatorFault) in try price(node) } ?? 4990,
            period: try offer["period"].map { (node) throws(SimulatorFault) in try self.period(node) }
                ?? (plan == .monthly ? .month : period),
            periods: Int(periods),
            isPriceInvalid: try offer["priceNoLongerValid"]?.boolean() ?? false
        )
    }

    private func period(_ node: ScenarioNode) throws(SimulatorFault) -> SubscriptionPeriod {
        try node.value("an ISO 8601 duration such as P1W, P1M, P3M or P1Y") { SubscriptionPeriod($0) }
    }

    /// Reads a price, such as 9.99, as thousandths.
    private func price(_ node: ScenarioNode) throws(SimulatorFault) -> Int64 {
        try node.value("a price such as 9.99") { text in
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let digits = parts.joined()
            guard parts.count <= 2, !parts[0].isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                digits.count <= 12
            else { return nil }
            let fraction = parts.count == 2 ? String(parts[1]) : ""
            guard fraction.count <= 3 else { return nil }
            return Int64("\(parts[0])\(fraction)\(String(repeating: "0", count: 3 - fraction.count))")
        }
    }
}
