import Foundation
import StoreKitConfiguration
import StrictJSON

extension Scenario {
    /// Takes the products and offers of Xcode's file for those of the only app.
    mutating func use(_ file: StoreKitFile) throws(SimulatorFault) {
        guard apps.count == 1 else {
            throw SimulatorFault("it has \(apps.count) apps, and Xcode's file is for one; take the others out")
        }
        do throws(SimulatorFault) {
            apps[0].subscriptionGroups = try file.subscriptionGroups.map(Group.init)
        } catch {
            throw SimulatorFault("Xcode's file: \(error)")
        }
        apps[0].appAppleId = apps[0].appAppleId ?? file.synchronisation?.appAppleId
    }

    /// A first `app-store.yaml` for the file, with a customer in each of the usual states who has its first product.
    static func yaml(for file: StoreKitFile) -> String {
        let product = file.products.first.map { quoted($0.productID) }
        let states = [
            ("active", "active"), ("leaving", "activeAutoRenewOff"), ("grace", "gracePeriod"),
            ("retry", "billingRetry"), ("lapsed", "lapsed"),
        ]
        let customers = states.compactMap { name, state in
            product.map { "  - { name: \(name), subscriptions: [{ product: \($0), state: \(state) }] }" }
        }
        return """
            # What the simulated App Store knows beside Xcode's file: the products and offers are read from that at each
            # start (--storekit). Made at the first start; change it as you like.
            apps:
              - bundleId: com.example.reader
                gracePeriodDays: 16
                renewsAheadHours: 24
                keys:
                subscriptionGroups: []   # of Xcode's file
            customers:
            \((customers + ["  - name: newcomer"]).joined(separator: "\n"))

            """
    }

    /// The offers of the file, as `subscriptionGroups` of a catalog.
    static func catalogGroups(of file: StoreKitFile) -> String {
        file.subscriptionGroups.map { group in
            let products = group.subscriptions.map { product in
                let offers = product.promotionalOffers.map { "{ id: \(quoted($0.offerID)), audience: [lapsed] }" }
                return "          - { id: \(quoted(product.productID)), offers: [\(offers.joined(separator: ", "))] }"
            }
            let list = products.isEmpty ? " []" : "\n" + products.joined(separator: "\n")
            return "      - id: \(quoted(group.id))\n        products:\(list)"
        }.joined(separator: "\n")
    }

    /// A JSON string, which is a YAML scalar.
    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Scenario.Group {
    init(_ group: StoreKitFile.Group) throws(SimulatorFault) {
        self.init(id: group.id, name: group.name, products: try group.subscriptions.map(Scenario.Product.init))
    }
}

extension Scenario.Product {
    fileprivate init(_ product: StoreKitFile.Product) throws(SimulatorFault) {
        self.init(id: product.productID)
        level = product.groupNumber
        period = try SubscriptionPeriod(product.recurringSubscriptionPeriod)
        (price, monthlyPrice) = (product.price.flatMap { Decimal($0) }, product.monthlyPrice.flatMap { Decimal($0) })
        introductoryOffer = try product.introductory.first.map { (terms) throws(SimulatorFault) in
            try Scenario.Offer(terms, id: nil)
        }
        offers = try product.promotionalOffers.map { (offer) throws(SimulatorFault) in
            try Scenario.Offer(offer.terms, id: offer.offerID)
        }
        name = product.referenceName
        winBackOffers = product.winBackOffers.map { WinBackOffer(id: $0.offerID) }
    }
}

extension Scenario.Offer {
    fileprivate init(_ terms: StoreKitFile.Offer, id: String?) throws(SimulatorFault) {
        let mode: StoreOffer.PaymentMode =
            switch terms.paymentMode {
            case .free: .freeTrial
            case .payAsYouGo: .payAsYouGo
            case .payUpFront: .payUpFront
            }
        self.init(id: id, billingPlanType: terms.isForMonthlyPlan ? .monthly : nil, mode: mode)
        price = terms.price.flatMap { Decimal($0) }
        period = try SubscriptionPeriod(terms.subscriptionPeriod)
        periods = terms.periods
    }
}

extension SubscriptionPeriod {
    fileprivate init(_ period: StoreKitFile.Period) throws(SimulatorFault) {
        guard let own = SubscriptionPeriod(period.text) else {
            throw SimulatorFault("the period \(period.text) is longer than 366 units")
        }
        self = own
    }
}

extension Decimal {
    /// A price with a point, in any locale.
    fileprivate init?(_ price: String) { self.init(string: price, locale: Locale(identifier: "en_US_POSIX")) }
}
