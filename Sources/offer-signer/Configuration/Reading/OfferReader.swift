import Offers

/// Reads the subscription groups of one app in `catalog.yaml`, with their products, offers and rules.
final class OfferReader {
    private let app: Members
    /// Whether every request of the app names the account.
    private let requiresAccount: Bool
    private let productIds = FirstUses<String>()
    /// What can be looked at once all products are known.
    private var later: [(ValueKind<String>, [SubscriptionGroup]) -> Void] = []

    /// How many offers a product may have.
    private static let mostOffers = 100

    init(app: Members, requiresAccount: Bool) {
        self.app = app
        self.requiresAccount = requiresAccount
    }

    /// Groups at fault are left out.
    func groups() -> [SubscriptionGroup] {
        let groups = app.things(
            "subscriptionGroups",
            .groupId,
            required: "write the list of subscription groups",
            recordedIn: nil
        ) { group, id in
            let products = group.things(
                "products",
                required: "write the list of the group's products",
                unique: productIds,
                recordedIn: app
            ) { product, productId in
                product.record("group", id)
                return self.product(product, productId, groupId: id)
            }
            return id.map { SubscriptionGroup(id: $0, products: products ?? []) }
        }
        let product = ValueKind<String>.product(of: groups ?? [])
        for check in later { check(product, groups ?? []) }
        return groups ?? []
    }

    private func product(_ product: Members, _ id: String?, groupId: String?) -> Product? {
        let period = product.value("period", .period)
        let level = product.value("level", .wholeNumber(1...1000))
        // Two products may have an offer of one id, also in one group.
        let offers = product.things("offers", recordedIn: product) { self.offer($0, $1, groupId: groupId) } ?? []
        if offers.count > Self.mostOffers {
            product.member("offers")?.fault("has \(offers.count) offers; a product has \(Self.mostOffers) at most")
        }
        let winBackOffers = product.things("winBackOffers", recordedIn: product) { offer, id in
            let url = offer.value("url", .link)
            if let id { product.record(ConfigurationInUse.element(id, of: "winBackOffers"), url) }
            return id.map { WinBackOffer(id: $0, url: url) }
        }
        return id.map { id in
            Product(id: id, period: period, level: level, offers: offers, winBackOffers: winBackOffers ?? [])
        }
    }

    /// Rules that could never be met are faults.
    private func offer(_ members: Members, _ id: String?, groupId: String?) -> PromotionalOffer? {
        let offer = PromotionalOffer(id: id ?? "") { terms in
            for key in OfferKey.all {
                if let node = members.member(key.name) { read(node, key, into: &terms) }
            }
        }
        for key in OfferKey.all {
            guard let node = members.member(key.name) else { continue }
            if let fault = key.unmeetable(offer.terms) { node.fault(fault) }
            if let warning = key.pointless(offer.terms) { node.warn(warning) }
            members.record(key.name, key.recorded(of: offer.terms))
        }
        if let list = members.member("fromProducts"), offer.terms.fromProducts != nil {
            let groupId = offer.terms.scope == .group ? groupId : nil
            later.append { product, groups in Self.check(list, of: product, inGroup: groupId, groups) }
        }
        return id == nil ? nil : offer
    }

    private func read(_ node: ConfigurationNode, _ key: OfferKey, into terms: inout PromotionalOffer.Terms) {
        switch key.kind {
        case .states(let place):
            terms[keyPath: place] = node.values(of: .choice(of: SubscriberState.audience)) ?? terms[keyPath: place]
        case .moment(let place): terms[keyPath: place] = node.value(.time)
        case .number(let range, let place): terms[keyPath: place] = node.value(.wholeNumber(range))
        case .days(let range, let place):
            terms[keyPath: place] = node.value(.wholeNumber(range)) ?? terms[keyPath: place]
        case .scope(let place): terms[keyPath: place] = node.value(.choice) ?? terms[keyPath: place]
        case .treatment(let place): terms[keyPath: place] = node.value(.choice) ?? terms[keyPath: place]
        case .products(let place): terms[keyPath: place] = node.values(of: .identifier)
        case .lapseReasons(let place): terms[keyPath: place] = node.values(of: .choice)
        case .storefronts(let place): terms[keyPath: place] = node.values(of: .storefront)
        case .holdout(let place): terms[keyPath: place] = holdout(node)
        }
    }

    private func holdout(_ node: ConfigurationNode) -> Holdout? {
        node.mapping { holdout in
            let percent = holdout.value(
                "percent",
                .wholeNumber(Holdout.percents),
                required: "write the percent of customers to hold out, such as 10"
            )
            let name = holdout.value("name", .identifier)
            if !requiresAccount {
                node.warn(
                    "counts a customer twice, who asks with an account and without; write requireAccount: true on the app"
                )
            }
            return percent.map { Holdout(percent: $0, name: name) }
        }
    }

    /// Looks whether products that an offer names are there, and in the group, if there is one.
    private static func check(
        _ list: ConfigurationNode,
        of product: ValueKind<String>,
        inGroup groupId: String?,
        _ groups: [SubscriptionGroup]
    ) {
        let home = groups.first { $0.id == groupId }
        for node in list.list() ?? [] {
            guard let id = node.value(product), let home, !home.products.contains(where: { $0.id == id }) else {
                continue
            }
            node.fault(
                "\(Echo.known(id)) is a product of another group, but this offer has scope: group; write scope: app, or name "
                    + "products of group \(Echo.known(home.id))"
            )
        }
    }
}

extension ValueKind<String> {
    static func product(of groups: [SubscriptionGroup]) -> ValueKind {
        .identifier(of: "product of this app in the catalog", among: Set(groups.flatMap(\.products).map(\.id)))
    }
}
