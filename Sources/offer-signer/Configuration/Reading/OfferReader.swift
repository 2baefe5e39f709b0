import Offers

/// Reads the subscription groups of one app in `catalog.yaml`, with their products and offers.
struct OfferReader {
    private var rules: OfferRulesReader
    private var groupUses = FirstUses<String>()
    private var productUses = FirstUses<String>()

    /// How many offers a product may have.
    private static let mostOffers = 100

    init(requiresAccount: Bool) { rules = OfferRulesReader(requiresAccount: requiresAccount) }

    /// Groups at fault are left out.
    mutating func groups(_ list: ConfigurationNode?) -> [SubscriptionGroup] {
        var groups: [SubscriptionGroup] = []
        for node in list?.list(of: "subscription groups") ?? [] {
            guard let members = node.mapping(keys: ["id", "products"]) else { continue }
            let idNode = members.required("id", "write the group's id as in App Store Connect, digits")
            var id = idNode?.identifier()
            if id == CatalogDraft.unknownGroup {
                idNode?.fault(
                    "is the placeholder of `catalog write`: write the group's id as App Store Connect has it, digits, or "
                        + "write the catalog again with --group-id NAME=ID"
                )
                id = nil
            }
            groupUses.claim(id, at: idNode, "the id of another group of this app")
            let list = members.required("products", "write the list of the group's products")
            let products = products(list, groupId: id)
            if let id { groups.append(SubscriptionGroup(id: id, products: products)) }
        }
        rules.checkProducts(against: groups)
        return groups
    }

    private mutating func products(_ list: ConfigurationNode?, groupId: String?) -> [Product] {
        var products: [Product] = []
        for node in list?.list(of: "products") ?? [] {
            guard let members = node.mapping(keys: ["id", "period", "level", "offers", "winBackOffers"]) else {
                continue
            }
            let idNode = members.required("id", "write the product's id as in App Store Connect")
            let id = idNode?.identifier()
            productUses.claim(id, at: idNode, "the id of another product of this app")
            let period = members["period"]?.value("an ISO 8601 duration", SubscriptionPeriod.init(parsingISO8601:))
            let level = members["level"]?.wholeNumber(in: 1...1000)
            let offers = offers(members["offers"], groupId: groupId)
            let winBackOffers = winBackOffers(members["winBackOffers"])
            guard let id else { continue }
            products.append(
                Product(id: id, period: period, level: level, offers: offers, winBackOffers: winBackOffers)
            )
        }
        return products
    }

    private func winBackOffers(_ list: ConfigurationNode?) -> [WinBackOffer] {
        var uses = FirstUses<String>()
        var offers: [WinBackOffer] = []
        for node in list?.list(of: "win-back offers") ?? [] {
            guard let members = node.mapping(keys: ["id", "url"]) else { continue }
            let idNode = members.required("id", "write the win-back offer's id as in App Store Connect")
            let id = idNode?.identifier()
            uses.claim(id, at: idNode, "the id of another win-back offer of this product")
            let url = members["url"]?.value("a URL", HTTPURL.parseLink)
            if let id { offers.append(WinBackOffer(id: id, url: url)) }
        }
        return offers
    }

    private mutating func offers(_ list: ConfigurationNode?, groupId: String?) -> [PromotionalOffer] {
        let nodes = list?.list(of: "offers") ?? []
        if nodes.count > Self.mostOffers {
            list?.fault("has \(nodes.count) offers; a product has \(Self.mostOffers) at most")
        }
        var offers: [PromotionalOffer] = []
        // Two products may have an offer of one id, also in one group.
        var uses = FirstUses<String>()
        for node in nodes {
            guard let members = node.mapping(keys: OfferRulesReader.keys) else { continue }
            let idNode = members.required("id", "write the offer's id as in App Store Connect")
            let id = idNode?.identifier()
            uses.claim(id, at: idNode, "the id of another offer of this product")
            guard let offer = rules.offer(members, id: id, groupId: groupId) else { continue }
            offers.append(offer)
        }
        return offers
    }
}
