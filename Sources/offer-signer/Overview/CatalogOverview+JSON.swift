import Offers
import StrictJSON

extension JSONWriter {
    /// How many offers of the catalog are listed.
    private static var mostOffers: Int { 500 }

    /// Writes the catalog as it is in use: the first offers of it, and how many there are.
    mutating func members(ofCatalog apps: [AppSettings]) {
        member("offers", Int64(apps.reduce(0) { $0 + $1.app.offers.count }))
        var left = Self.mostOffers
        member("apps")
        array { list in
            for app in apps {
                list.object { json in
                    json.members(of: app)
                    json.member("groups")
                    json.array { groups in
                        for group in app.app.subscriptionGroups where left > 0 {
                            groups.object { json in
                                json.member("id", group.id)
                                json.member("products")
                                json.array { products in
                                    for product in group.products where left > 0 {
                                        // A product without offers takes room, too.
                                        left -= max(product.offers.count, 1)
                                        products.element(product, leavingOut: max(-left, 0))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private mutating func members(of app: AppSettings) {
        member("bundleId", app.app.bundleId)
        if let id = app.appAppleId { member("appAppleId", id) }
        member("environments", AppStoreEnvironment.allCases.filter(app.app.environments.contains).map(\.rawValue))
        member("receipts", app.receipts.rawValue)
        member("requireAccount")
        bool(app.app.requiresAccount)
        member("maximumAccountsPerTransaction", Int64(app.app.maximumAccountsPerTransaction))
    }

    private mutating func element(_ product: Product, leavingOut count: Int) {
        object { json in
            json.member("id", product.id)
            if let period = product.period { json.member("period", period.iso8601) }
            if let level = product.level { json.member("level", Int64(level)) }
            json.member("offers")
            json.array { offers in
                for offer in product.offers.dropLast(count) {
                    offers.object { $0.members(of: offer) }
                }
            }
        }
    }

    private mutating func members(of offer: PromotionalOffer) {
        member("id", offer.id)
        member("audience", SubscriberState.audience.filter(offer.audience.contains).map(\.rawValue))
        if let moment = offer.startsAt { member("startsAt", moment.rfc3339) }
        if let moment = offer.endsAt { member("endsAt", moment.rfc3339) }
        if let number = offer.maxRedemptions { member("maxRedemptions", Int64(number)) }
        if let limit = offer.signatureLimit {
            member("maximumSignaturesPerCustomer", Int64(limit.maximumSignaturesPerCustomer))
            member("signaturePeriodDays", Int64(limit.periodDays))
        }
        if offer.scope != .group { member("scope", offer.scope.rawValue) }
        if let products = offer.fromProducts { member("fromProducts", products.sorted()) }
        if let days = offer.minimumLapsedDays { member("minimumLapsedDays", Int64(days)) }
        if let days = offer.maximumLapsedDays { member("maximumLapsedDays", Int64(days)) }
        if offer.afterRefund != .refuse { member("afterRefund", offer.afterRefund.rawValue) }
        if offer.familyShared != .refuse { member("familyShared", offer.familyShared.rawValue) }
        if offer.assigned != .refuse { member("assigned", offer.assigned.rawValue) }
    }
}
