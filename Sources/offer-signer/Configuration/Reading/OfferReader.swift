import Offers

/// Reads the subscription groups of one app in `catalog.yaml`, with their products and offers.
struct OfferReader {
    /// The limits of the offers that have one, in the catalog's order.
    private(set) var signatureLimits: [SignatureLimit] = []

    private var groupUses = FirstUses<String>()
    private var productUses = FirstUses<String>()

    /// App Store Connect allows as many active promotional offers on a subscription
    /// (Apple, "Set up promotional offers for auto-renewable subscriptions").
    private static let mostOffers = 10

    /// Reads the groups.
    ///
    /// - Parameter list: The list; `nil` when it is left out, which has its fault already.
    /// - Returns: The groups; those at fault are left out.
    mutating func groups(_ list: ConfigurationNode?) -> [SubscriptionGroup] {
        var groups: [SubscriptionGroup] = []
        for node in list?.list(of: "subscription groups") ?? [] {
            guard let members = node.mapping(keys: ["id", "products"]) else { continue }
            let idNode = members.required("id", "write the group's id as in App Store Connect, digits")
            let id = idNode?.identifier()
            groupUses.claim(id, at: idNode, "the id of another group of this app")
            let products = products(members.required("products", "write the list of the group's products"))
            if let id { groups.append(SubscriptionGroup(id: id, products: products)) }
        }
        return groups
    }

    private mutating func products(_ list: ConfigurationNode?) -> [Product] {
        var products: [Product] = []
        var offerUses = FirstUses<String>()
        for node in list?.list(of: "products") ?? [] {
            guard let members = node.mapping(keys: ["id", "offers"]) else { continue }
            let idNode = members.required("id", "write the product's id as in App Store Connect")
            let id = idNode?.identifier()
            productUses.claim(id, at: idNode, "the id of another product of this app")
            let offers = offers(members["offers"], productId: id, &offerUses)
            if let id { products.append(Product(id: id, offers: offers)) }
        }
        return products
    }

    private mutating func offers(
        _ list: ConfigurationNode?,
        productId: String?,
        _ uses: inout FirstUses<String>
    ) -> [PromotionalOffer] {
        let nodes = list?.list(of: "offers") ?? []
        if nodes.count > Self.mostOffers {
            list?.fault("has \(nodes.count) offers; App Store Connect allows \(Self.mostOffers) on a product")
        }
        var offers: [PromotionalOffer] = []
        for node in nodes {
            guard let members = node.mapping(keys: Self.offerKeys) else { continue }
            let idNode = members.required("id", "write the offer's id as in App Store Connect")
            let id = idNode?.identifier()
            uses.claim(id, at: idNode, "the id of another offer of this group")
            guard let offer = offer(members, id: id) else { continue }
            offers.append(offer)
            noteLimit(members, productId: productId, offerId: offer.id)
        }
        return offers
    }

    private static let offerKeys = [
        "id", "audience", "startsAt", "endsAt", "maxRedemptions", "maximumSignaturesPerCustomer", "signaturePeriodDays",
    ]

    private func offer(_ members: ConfigurationMapping, id: String?) -> PromotionalOffer? {
        let audience = members["audience"]?.choices(
            "an audience",
            of: SubscriberState.audience,
            mend: "nobody could get the offer; name at least one state, or leave the key out for all"
        )
        let startsAt = members["startsAt"]?.value("an RFC 3339 time", Timestamp.init(parsingRFC3339:))
        let endsAt = members["endsAt"]?.value("an RFC 3339 time", Timestamp.init(parsingRFC3339:))
        if let startsAt, let endsAt, endsAt <= startsAt {
            members["endsAt"]?.fault("is not after startsAt (\(startsAt.rfc3339)); the offer would never be on")
        }
        let maxRedemptions = members["maxRedemptions"]?.wholeNumber(in: 1...1_000_000)
        guard let id else { return nil }
        return PromotionalOffer(
            id: id,
            audience: audience ?? Set(SubscriberState.audience),
            startsAt: startsAt,
            endsAt: endsAt,
            maxRedemptions: maxRedemptions
        )
    }

    private mutating func noteLimit(_ members: ConfigurationMapping, productId: String?, offerId: String) {
        let maximum = members["maximumSignaturesPerCustomer"]?.wholeNumber(in: 1...1_000_000)
        let days = members["signaturePeriodDays"]?.wholeNumber(in: 1...36500)
        guard let productId, let maximum else { return }
        signatureLimits.append(
            SignatureLimit(
                productId: productId,
                offerId: offerId,
                maximumSignaturesPerCustomer: maximum,
                periodDays: days ?? 30
            )
        )
    }
}
