package import Offers

/// An app's subscriptions and their offers, as App Store Connect has them.
package struct ConnectCatalog: Sendable {
    package struct Group: Sendable {
        /// The resource's identifier, which is the group's in Apple's answers.
        package let id: String
        package let name: String?
        package let products: [Product]
    }

    package struct Product: Sendable {
        private static let periods: [String: SubscriptionPeriod] = [
            "ONE_WEEK": .days(7), "ONE_MONTH": .months(1), "TWO_MONTHS": .months(2), "THREE_MONTHS": .months(3),
            "SIX_MONTHS": .months(6), "ONE_YEAR": .months(12),
        ]

        let resource: ConnectResource
        package let offers: [Offer]
        package let winBackOffers: [WinBackOffer]

        package var id: String { resource["productId"] ?? "" }
        package var name: String? { resource["name"] }
        /// Apple's name of the state, such as APPROVED.
        package var state: String { resource["state"] ?? "unknown" }
        package var isForSale: Bool { state == "APPROVED" }
        package var period: SubscriptionPeriod? { resource["subscriptionPeriod"].flatMap { Self.periods[$0] } }
        package var level: Int? { resource["groupLevel"].flatMap { Int($0) } }
        var isFamilySharable: Bool { resource["familySharable"] == "true" }

        func offer(_ id: String) -> Offer? { offers.first { $0.id.hasSameBytes(as: id) } }
    }

    /// A promotional offer.
    package struct Offer: Sendable {
        let resource: ConnectResource

        /// `offerCode`: the identifier that is signed.
        package var id: String { resource["offerCode"] ?? "" }
        /// Whether it is for a yearly subscription that is paid month by month, and for no other purchase.
        package var isForMonthlyPlan: Bool { resource["targetSubscriptionPlanType"] == "MONTHLY" }
        var isFree: Bool { resource["offerMode"] == "FREE_TRIAL" }

        /// The name, how it is paid and for how long, in Apple's words.
        package var terms: String {
            let times = resource["numberOfPeriods"].flatMap { Int($0) } ?? 1
            let duration = resource["duration"].map { times > 1 ? "\(times) times \($0)" : $0 }
            return [resource["name"], resource["offerMode"], duration].compactMap(\.self).joined(separator: ", ")
        }
    }

    package struct WinBackOffer: Sendable {
        fileprivate let resource: ConnectResource

        package var id: String { resource["offerId"] ?? "" }
        /// The direct link, to be handed to customers.
        package var url: String { "https://apps.apple.com/win-back/\(resource.id.percentEncoded)" }
        /// The last day, such as 2026-01-31; `nil` for an offer without end.
        package var endDate: String? { resource["endDate"] }

        package func hasEnded(on day: String) -> Bool { endDate.map { $0 < day } ?? false }
    }

    package let bundleId: String
    package let name: String?
    /// The app's identifier, `appAppleId` of the catalog.
    package let appAppleId: String
    package fileprivate(set) var groups: [Group] = []
    /// Read for a comparison alone: the names of offers with codes, and where things are sold, by the resources that
    /// were asked.
    fileprivate(set) var offerCodes: [String: [String]] = [:]
    fileprivate(set) var territories: [String: Set<String>] = [:]

    /// All that an app can be sold in, where an offer asks for storefronts; empty where nobody asked.
    fileprivate(set) var storefronts: Set<String> = []

    var products: [Product] { groups.flatMap(\.products) }

    /// What App Store Connect has of products and a catalog does not, by Apple's names, each with how many have it.
    package var leftOut: [(name: String, products: Int)] {
        var counts: [String: Int] = [:]
        for product in products {
            for name in product.resource.members.subtracting(Self.known) { counts[name, default: 0] += 1 }
        }
        return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The attributes and relationships of a subscription in Apple's description 4.4.1; what came since is left out by name.
    private static let known: Set = [
        "name", "productId", "familySharable", "state", "subscriptionPeriod", "reviewNote", "groupLevel",
        "availableInAllTerritories", "subscriptionLocalizations", "appStoreReviewScreenshot", "group",
        "introductoryOffers", "promotionalOffers", "offerCodes", "prices", "pricePoints", "promotedPurchase",
        "subscriptionAvailability", "winBackOffers", "images",
    ]

    func product(_ id: String) -> (product: Product, group: Group)? {
        for group in groups {
            if let product = group.products.first(where: { $0.id.hasSameBytes(as: id) }) { return (product, group) }
        }
        return nil
    }
}

extension AppStoreConnect {
    /// Apple includes no more than these of one kind.
    private static let mostIncluded = 50

    /// Reads an app's subscriptions; `nil` where the key's team has no such app.
    ///
    /// `progress` is called before each group, with its number and how many there are.
    package func catalog(
        of bundleId: String,
        progress: (_ group: Int, _ groups: Int) -> Void
    ) async throws(AppStoreConnectFault) -> ConnectCatalog? {
        let query = "filter%5BbundleId%5D=\(bundleId.percentEncoded)&fields%5Bapps%5D=bundleId,name"
        let apps = try await list("/v1/apps?\(query)").data
        // Apple's filter may find more than the one that was asked for.
        guard let app = apps.first(where: { $0["bundleId"]?.hasSameBytes(as: bundleId) == true }) else { return nil }
        var catalog = ConnectCatalog(bundleId: bundleId, name: app["name"], appAppleId: app.id)
        let groups = try await list("/v1/apps/\(app.id.percentEncoded)/subscriptionGroups?limit=200").data
        for (index, group) in groups.enumerated() {
            progress(index + 1, groups.count)
            let products = try await products(ofGroup: group.id)
            catalog.groups.append(.init(id: group.id, name: group["referenceName"], products: products))
        }
        return catalog
    }

    private func products(ofGroup id: String) async throws(AppStoreConnectFault) -> [ConnectCatalog.Product] {
        let query =
            "include=promotionalOffers,winBackOffers&limit%5BpromotionalOffers%5D=\(Self.mostIncluded)"
            + "&limit%5BwinBackOffers%5D=\(Self.mostIncluded)&limit=200"
        let list = try await list("/v1/subscriptionGroups/\(id.percentEncoded)/subscriptions?\(query)")
        var products: [ConnectCatalog.Product] = []
        for resource in list.data where resource["productId"] != nil {
            let offers = try await related("promotionalOffers", of: resource, in: list).map {
                ConnectCatalog.Offer(resource: $0)
            }
            let winBacks = try await related("winBackOffers", of: resource, in: list)
                .map { ConnectCatalog.WinBackOffer(resource: $0) }
            products.append(.init(resource: resource, offers: offers, winBackOffers: winBacks))
        }
        return products
    }

    /// The resources that came along, or the list of its own where that was cut.
    private func related(
        _ relation: String,
        of product: ConnectResource,
        in list: ConnectDocument
    ) async throws(AppStoreConnectFault) -> [ConnectResource] {
        if let known = list.related(relation, of: product, limit: Self.mostIncluded) { return known }
        return try await self.list("/v1/subscriptions/\(product.id.percentEncoded)/\(relation)?limit=200").data
    }

    /// Reads more of the products that the catalog has: where they and their offers are sold, if `withPrices`, and the
    /// names of offers with codes, which an offer that is missing may be one of.
    package func addDetails(
        to catalog: inout ConnectCatalog,
        of app: App,
        withPrices: Bool,
        progress: (_ offer: String) -> Void
    ) async throws(AppStoreConnectFault) {
        if app.asksForStorefronts {
            catalog.storefronts = Set(try await listIfThere("/v1/territories?limit=200").map(\.id))
        }
        for product in catalog.products {
            guard let ours = app.product(product.id)?.product else { continue }
            let path = "/v1/subscriptions/\(product.resource.id.percentEncoded)"
            if ours.offers.contains(where: { product.offer($0.id) == nil }) {
                let codes = try await listIfThere(path + "/offerCodes?limit=200")
                catalog.offerCodes[product.resource.id] = codes.compactMap { $0["name"] }
            }
            guard withPrices else { continue }
            var all: Set<String> = []
            for offer in product.offers {
                progress(offer.id)
                let path = "/v1/subscriptionPromotionalOffers/\(offer.resource.id.percentEncoded)/prices"
                let prices = try await list(path + "?include=territory,subscriptionPricePoint&limit=200").data
                let paid = prices.filter { offer.isFree || $0.related("subscriptionPricePoint") != nil }
                let territories = Set(paid.compactMap { $0.related("territory") })
                catalog.territories[offer.resource.id] = territories
                all.formUnion(territories)
            }
            // Where Apple does not tell where the product is sold, it is at least where any of its offers is.
            if let id = try await listIfThere(path + "/subscriptionAvailability").first?.id.percentEncoded {
                let list = "/v1/subscriptionAvailabilities/\(id)/availableTerritories?limit=200"
                all = Set(try await self.list(list).data.map(\.id))
            }
            catalog.territories[product.resource.id] = all
        }
    }

    private func listIfThere(_ path: String) async throws(AppStoreConnectFault) -> [ConnectResource] {
        do throws(AppStoreConnectFault) {
            return try await list(path).data
        } catch {
            guard error.isNotThere else { throw error }
            return []
        }
    }
}

extension ConnectResource {
    /// The identifier of the resource that a relationship to one names.
    fileprivate func related(_ relation: String) -> String? { relationships?[relation]?.data?.all.first?.id }
}
