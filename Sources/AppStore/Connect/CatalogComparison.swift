package import Offers

/// A difference between the catalog and App Store Connect.
package struct CatalogDifference: Encodable, Sendable {
    /// Worst first.
    package enum Severity: String, CaseIterable, Sendable {
        /// An offer of the catalog cannot be bought.
        case error
        case warning
        case note
    }

    package let severity: Severity
    package let code: String
    package let bundleId: String
    package let productId: String?
    package let offerId: String?
    package let detail: String
    package let fix: String

    private enum CodingKeys: CodingKey { case code, bundleId, productId, offerId, detail, fix }
}

extension [CatalogDifference] {
    /// Equally bad ones stay in their order.
    package var worstFirst: [CatalogDifference] {
        CatalogDifference.Severity.allCases.flatMap { severity in filter { $0.severity == severity } }
    }
}

/// The kinds of differences, each with its fix.
private struct Kind {
    static let noApp = Kind(.error, "app_not_found", "correct the bundle id, or take a key of the app's team")
    static let noProduct = Kind(.error, "product_not_found", "write App Store Connect's Product ID, or take it out")
    static let notForSale = Kind(
        .error,
        "product_not_for_sale",
        "have it approved and on sale, or take its offers out; the Sandbox sells it before"
    )
    static let noOffer = Kind(.error, "offer_not_found", "set it up in App Store Connect, or correct the id")
    static let otherCase = Kind(.error, "offer_id_in_other_case", "write it like that: StoreKit compares byte for byte")
    static let otherProduct = Kind(.error, "offer_of_another_product", "move it there, or set it up for this one, too")
    static let otherKind = Kind(.error, "offer_of_another_kind", "take it out, or set up a promotional offer")
    static let noPrice = Kind(.error, "offer_without_price", "set its prices in App Store Connect, or take it out")

    static let appleId = Kind(.warning, "app_apple_id_differs", "correct it: with another, Apple's data is refused")
    static let noGroup = Kind(.warning, "group_not_found", "write subscriptionGroupIdentifier of a transaction in it")
    static let otherGroup = Kind(.warning, "product_in_another_group", "move it: offers are for customers of the group")
    static let level = Kind(.warning, "level_differs", "correct it: by it, answers say when an offer begins")
    static let period = Kind(.warning, "period_differs", "correct it: by it, answers say what an offer saves")
    static let monthlyPlan = Kind(.warning, "offer_for_monthly_plan", "let apps buy it with the billing plan MONTHLY")
    static let somePrices = Kind(.warning, "offer_not_sold_everywhere", "set its prices there, or ask for it elsewhere")
    static let noStorefront = Kind(.warning, "storefront_not_found", "write one of App Store Connect's territories")
    static let storefrontPrice = Kind(.warning, "storefront_without_price", "set its price there, or take it out")
    static let noWinBack = Kind(.warning, "win_back_not_found", "take it out of winBackOffers")
    static let oldWinBack = Kind(.warning, "win_back_ended", "take it out of winBackOffers")
    static let winBackLink = Kind(.warning, "win_back_link_differs", "write that one, unless your own page leads there")
    static let retentionProduct = Kind(.warning, "retention_product_not_for_sale", "name one that is on sale")
    static let retentionGroup = Kind(.warning, "retention_product_in_another_group", "name one of the customer's group")
    static let retentionPlan = Kind(.warning, "retention_plan_not_found", "only yearly products have it: leave it out")

    static let notShared = Kind(.note, "family_sharing_off", "take familyShared out, or turn Family Sharing on")
    static let newOffer = Kind(.note, "offer_not_in_catalog", "add it, if customers are to have it")
    static let newProduct = Kind(.note, "product_not_in_catalog", "add it, so that the group of its customers is known")

    let severity: CatalogDifference.Severity
    let code: String
    let fix: String

    private init(_ severity: CatalogDifference.Severity, _ code: String, _ fix: String) {
        (self.severity, self.code, self.fix) = (severity, code, fix)
    }
}

/// Finds the differences between an app of the catalog and App Store Connect.
package struct CatalogComparison {
    private static let mostNames = 5

    private let app: App
    private let connect: ConnectCatalog
    /// Such as 2026-01-31.
    private let day: String
    private var differences: [CatalogDifference] = []

    private init(of app: App, with connect: ConnectCatalog?, on day: String) {
        self.app = app
        self.connect = connect ?? ConnectCatalog(bundleId: app.bundleId, name: nil, appAppleId: "")
        self.day = day
    }

    /// All differences, worst first; `connect` is `nil` where the key's team has no such app.
    package static func differences(
        of app: App,
        appAppleId: Int64?,
        retention: [RetentionRule],
        from connect: ConnectCatalog?,
        at now: Timestamp
    ) -> [CatalogDifference] {
        var comparison = CatalogComparison(of: app, with: connect, on: String(now.rfc3339.prefix(10)))
        if let connect {
            if let appAppleId, String(appAppleId) != connect.appAppleId {
                comparison.add(.appleId, "appAppleId is \(appAppleId); in App Store Connect, \(connect.appAppleId)")
            }
            comparison.compareGroups()
            comparison.compare(retention)
        } else {
            comparison.add(.noApp, "the key's team has no app of this bundle id", isError: !app.offers.isEmpty)
        }
        return comparison.differences.worstFirst
    }

    /// Without offers, nothing that is not there is an error: nothing was to be bought.
    private mutating func add(
        _ kind: Kind,
        _ detail: String,
        _ productId: String? = nil,
        _ offerId: String? = nil,
        isError: Bool = true
    ) {
        differences.append(
            CatalogDifference(
                severity: isError ? kind.severity : .warning,
                code: kind.code,
                bundleId: app.bundleId,
                productId: productId,
                offerId: offerId,
                detail: detail,
                fix: kind.fix
            )
        )
    }

    private mutating func compareGroups() {
        for group in app.subscriptionGroups {
            let isKnown = connect.groups.contains { $0.id == group.id }
            let theirs = Set(group.products.compactMap { connect.product($0.id)?.group.id }).sorted()
            if !isKnown, !theirs.isEmpty {
                let place = "its products are in group \(Self.list(theirs))"
                add(.noGroup, "App Store Connect has no group \(group.id); \(place)")
            }
            for product in group.products { compare(product, in: isKnown ? group : nil) }
        }
        for theirs in connect.products where app.product(theirs.id) == nil {
            add(.newProduct, "the catalog lacks the product; its promotional offers: \(theirs.offers.count)", theirs.id)
        }
    }

    /// The group is `nil` where App Store Connect has none of its id.
    private mutating func compare(_ product: Product, in group: SubscriptionGroup?) {
        let (id, hasOffers) = (product.id, !product.offers.isEmpty)
        guard let (theirs, theirGroup) = connect.product(id) else {
            let near = connect.products.first { $0.id.lowercased() == id.lowercased() }
            let found = near.map { "has it in other case: \($0.id)" } ?? "has no such product in this app"
            return add(.noProduct, "App Store Connect \(found)", id, isError: hasOffers)
        }
        if !theirs.isForSale, hasOffers { add(.notForSale, "the product's state is \(theirs.state)", id) }
        if let group, theirGroup.id != group.id {
            add(.otherGroup, "it is in group \(group.id); in App Store Connect, in \(theirGroup.id)", id)
        }
        if let level = product.level, let other = theirs.level, level != other {
            add(.level, "level is \(level); in App Store Connect it is \(other)", id)
        }
        if let period = product.period, let other = theirs.period, period != other {
            add(.period, "period is \(period.iso8601); in App Store Connect it is \(other.iso8601)", id)
        }
        for offer in product.offers { compare(offer, of: theirs) }
        for offer in product.winBackOffers { compare(offer, of: theirs) }
        let ours = Set(product.offers.map { $0.id.lowercased() })
        for offer in theirs.offers where !ours.contains(offer.id.lowercased()) {
            add(.newOffer, "the catalog lacks the promotional offer (\(offer.terms))", id, offer.id)
        }
    }

    private mutating func compare(_ offer: PromotionalOffer, of theirs: ConnectCatalog.Product) {
        guard let other = theirs.offer(offer.id) else {
            let (kind, detail) = missing(offer.id, of: theirs)
            return add(kind, detail, theirs.id, offer.id)
        }
        if other.isForMonthlyPlan {
            add(.monthlyPlan, "it is for monthly payments, and for no other purchase", theirs.id, offer.id)
        }
        if offer.terms.familyShared == .allow, !theirs.isFamilySharable {
            add(.notShared, "it has familyShared: allow, but the product cannot be shared", theirs.id, offer.id)
        }
        let storefronts = offer.terms.storefronts ?? []
        if !connect.storefronts.isEmpty {
            let unknown = storefronts.subtracting(connect.storefronts).sorted()
            if !unknown.isEmpty {
                let detail = "no territory is its storefront \(Self.list(unknown))"
                add(.noStorefront, detail, theirs.id, offer.id)
            }
        }
        if let territories = connect.territories[other.resource.id], !territories.isEmpty {
            let lacking = storefronts.intersection(connect.storefronts).subtracting(territories).sorted()
            if !lacking.isEmpty {
                add(.storefrontPrice, "it has no price in its storefront \(Self.list(lacking))", theirs.id, offer.id)
            }
        }
        guard let territories = connect.territories[other.resource.id],
            let sold = connect.territories[theirs.resource.id]
        else { return }
        let lacking = sold.subtracting(territories).sorted()
        if territories.isEmpty {
            add(.noPrice, "it has a price in no territory", theirs.id, offer.id)
        } else if !lacking.isEmpty {
            let place = "\(lacking.count) of the \(sold.count) territories where the product is sold"
            add(.somePrices, "it has no price in \(place): \(Self.list(lacking))", theirs.id, offer.id)
        }
    }

    /// Why an offer of the catalog is not there.
    private func missing(_ id: String, of theirs: ConnectCatalog.Product) -> (Kind, String) {
        if let near = theirs.offers.first(where: { $0.id.lowercased() == id.lowercased() }) {
            return (.otherCase, "App Store Connect has it in other case: \(near.id)")
        }
        let codes = connect.offerCodes[theirs.resource.id] ?? []
        let others = [("a win-back", theirs.winBackOffers.map(\.id)), ("an offer code's", codes)]
        if let (kind, _) = others.first(where: { $0.1.contains { $0.hasSameBytes(as: id) } }) {
            return (.otherKind, "in App Store Connect it is \(kind) offer, which nobody signs")
        }
        if let home = connect.products.first(where: { $0.offer(id) != nil }) {
            return (.otherProduct, "in App Store Connect it is an offer of \(home.id)")
        }
        let known = theirs.offers.isEmpty ? "" : ", which has \(Self.list(theirs.offers.map(\.id).sorted()))"
        return (.noOffer, "App Store Connect has no such promotional offer of this product\(known)")
    }

    private mutating func compare(_ offer: WinBackOffer, of theirs: ConnectCatalog.Product) {
        guard let other = theirs.winBackOffers.first(where: { $0.id.hasSameBytes(as: offer.id) }) else {
            return add(.noWinBack, "App Store Connect has no such win-back offer of it", theirs.id, offer.id)
        }
        if let end = other.endDate, other.hasEnded(on: day) {
            add(.oldWinBack, "the win-back offer ended on \(end)", theirs.id, offer.id)
        } else if let url = offer.url, url != other.url {
            add(.winBackLink, "url is not its direct link, \(other.url)", theirs.id, offer.id)
        }
    }

    /// The products and plans that rules propose; their offers are compared as those of their products.
    private mutating func compare(_ retention: [RetentionRule]) {
        for (index, rule) in retention.enumerated() {
            guard case .switchTo(let id, let plan) = rule.proposal else { continue }
            let name = "rule \(index + 1) of retention proposes it"
            guard let (theirs, group) = connect.product(id), theirs.isForSale else {
                let state = connect.product(id).map { "its state is \($0.product.state)" } ?? "it is not there"
                add(.retentionProduct, "\(name), and it is not for sale: \(state)", id)
                continue
            }
            let stranger = rule.products?.sorted().first { connect.product($0)?.group.id ?? group.id != group.id }
            if let stranger {
                add(.retentionGroup, "\(name) to customers of \(stranger), who are in another group", id)
            }
            if plan == .monthly, let period = theirs.period, period != .months(12) {
                add(.retentionPlan, "\(name) with the billingPlanType MONTHLY, but its period is \(period.iso8601)", id)
            }
        }
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(mostNames).joined(separator: ", ") + (names.count > mostNames ? ", …" : "")
    }
}
