import Offers

/// Reads one offer in `catalog.yaml` with its rules; rules that could never be met are faults.
struct OfferRulesReader {
    static let keys = ["id"] + OfferKey.all.map(\.name)

    /// A product that an offer names, to be looked for once all products are known.
    private struct NamedProduct {
        let id: String
        let place: ConfigurationNode
        /// `nil` for any.
        var groupId: String?
    }

    /// Whether every request of the app names the account.
    private let requiresAccount: Bool
    private var named: [NamedProduct] = []

    init(requiresAccount: Bool) { self.requiresAccount = requiresAccount }

    /// `id` and `groupId` are `nil` where they are at fault.
    mutating func offer(_ members: ConfigurationMapping, id: String?, groupId: String?) -> PromotionalOffer? {
        let before = named.count
        let offer = PromotionalOffer(id: id ?? "") { terms in
            for key in OfferKey.all {
                if let node = members[key.name] { read(node, key, into: &terms) }
            }
        }
        for key in OfferKey.all {
            guard let node = members[key.name] else { continue }
            if let fault = key.unmeetable(offer.terms) { node.fault(fault) }
            if let warning = key.pointless(offer.terms) { node.faults.warning(node.place, warning) }
        }
        if offer.terms.scope == .group {
            for index in named.indices.dropFirst(before) { named[index].groupId = groupId }
        }
        return id == nil ? nil : offer
    }

    private mutating func read(_ node: ConfigurationNode, _ key: OfferKey, into terms: inout PromotionalOffer.Terms) {
        let emptyFix = "nobody could get the offer; name at least one"
        switch key.kind {
        case .states(let place):
            let fix = "\(emptyFix) state, or leave the key out for all"
            if let states = node.choices("an audience", of: SubscriberState.audience, fix: fix) {
                terms[keyPath: place] = states
            }
        case .moment(let place):
            terms[keyPath: place] = node.value("an RFC 3339 time", Timestamp.init(parsingRFC3339:))
        case .number(let range, let place): terms[keyPath: place] = node.wholeNumber(in: range)
        case .days(let range, let place): if let days = node.wholeNumber(in: range) { terms[keyPath: place] = days }
        case .scope(let place):
            if let scope = node.choice("a scope", of: OfferScope.allCases) { terms[keyPath: place] = scope }
        case .treatment(let place):
            if let treatment = node.choice("a treatment", of: OfferTreatment.allCases) {
                terms[keyPath: place] = treatment
            }
        case .products(let place):
            terms[keyPath: place] = products(node, fix: "\(emptyFix) product, or leave the key out for all")
        case .lapseReasons(let place):
            let fix = "\(emptyFix) reason, or leave the key out for all"
            terms[keyPath: place] = node.choices("a reason of a lapse", of: LapseReason.allCases, fix: fix)
        case .storefronts(let place):
            terms[keyPath: place] = storefronts(node, fix: "\(emptyFix) storefront, or leave the key out for all")
        case .holdout(let place): terms[keyPath: place] = holdout(node)
        }
    }

    private func holdout(_ node: ConfigurationNode) -> Holdout? {
        guard let members = node.mapping(keys: ["percent", "name"]) else { return nil }
        let percent = members.required("percent", "write the percent of customers to hold out, such as 10")?
            .wholeNumber(in: Holdout.percents)
        let name = members["name"]?.identifier()
        guard let percent else { return nil }
        if !requiresAccount {
            node.faults.warning(
                node.place,
                "counts a customer twice, who asks with an account and without; write requireAccount: true on the app"
            )
        }
        return Holdout(percent: percent, name: name)
    }

    func checkProducts(against groups: [SubscriptionGroup]) {
        for product in named {
            let homes = groups.filter { $0.products.contains { $0.id == product.id } }.map(\.id)
            if homes.isEmpty {
                let known = groups.flatMap(\.products).map(\.id)
                product.place.fault(
                    "\(Echo.name(product.id)) is no product of this app in the catalog; "
                        + Echo.hint(for: product.id, among: known)
                )
            } else if let groupId = product.groupId, !homes.contains(groupId) {
                product.place.fault(
                    "\(Echo.known(product.id)) is a product of another group, but this offer has scope: group; write "
                        + "scope: app, or name products of group \(Echo.known(groupId))"
                )
            }
        }
    }

    private func storefronts(_ list: ConfigurationNode, fix: String) -> Set<String>? {
        guard let nodes = list.filledList(of: "storefronts", fix: fix) else { return nil }
        let named = nodes.compactMap { node -> String? in
            guard let text = node.identifier() else { return nil }
            guard text.utf8.count == 3, text.allSatisfy({ $0.isASCII && $0.isLetter }) else {
                node.fault(
                    "\(Echo.name(text)) is no storefront; write the three letters that Apple has for it, such as USA or DEU"
                )
                return nil
            }
            return text.uppercased()
        }
        return named.count == nodes.count ? Set(named) : nil
    }

    private mutating func products(_ list: ConfigurationNode, fix: String) -> Set<String>? {
        guard let nodes = list.filledList(of: "product ids", fix: fix) else { return nil }
        var products: Set<String> = []
        var uses = FirstUses<String>()
        for node in nodes {
            guard let id = node.identifier() else { continue }
            uses.claim(id, at: node, "another product of this list")
            products.insert(id)
            named.append(NamedProduct(id: id, place: node, groupId: nil))
        }
        return products
    }
}
