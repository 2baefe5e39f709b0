import Offers
import StrictJSON

extension JSONWriter {
    private static var mostOffers: Int { 500 }

    /// The first offers, and how many there are.
    mutating func members(ofCatalog apps: [AppSettings]) {
        member("offers", Int64(apps.reduce(0) { $0 + $1.app.offers.count }))
        var left = Self.mostOffers
        objects("apps", apps) { app, json in
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

    private mutating func members(of app: AppSettings) {
        member("bundleId", app.app.bundleId)
        if let id = app.appAppleId { member("appAppleId", id) }
        member("environments", AppStoreEnvironment.allCases.filter(app.app.environments.contains).map(\.rawValue))
        member("receipts", app.receipts.rawValue)
        flag("requireAccount", app.app.requiresAccount)
        member("maximumAccountsPerTransaction", Int64(app.app.maximumAccountsPerTransaction))
    }

    private mutating func element(_ product: Product, leavingOut count: Int) {
        object { json in
            json.member("id", product.id)
            if let period = product.period { json.member("period", period.iso8601) }
            if let level = product.level { json.member("level", Int64(level)) }
            json.objects("offers", product.offers.dropLast(count)) { $1.members(of: $0) }
        }
    }

    private mutating func members(of offer: PromotionalOffer) {
        member("id", offer.id)
        for key in OfferKey.all { member(key, of: offer.terms) }
        member("conditions", OfferKey.all.compactMap { $0.shown(offer.terms) })
    }

    private mutating func member(_ key: OfferKey, of terms: PromotionalOffer.Terms) {
        switch key.kind {
        case .states(let place):
            member(named: key.name, SubscriberState.audience.filter(terms[keyPath: place].contains).map(\.rawValue))
        case .moment(let place): if let moment = terms[keyPath: place] { member(named: key.name, moment.rfc3339) }
        case .number(_, let place): if let number = terms[keyPath: place] { member(named: key.name, number) }
        case .days(_, let place): member(named: key.name, terms[keyPath: place])
        case .scope(let place): member(named: key.name, terms[keyPath: place].rawValue)
        case .treatment(let place): member(named: key.name, terms[keyPath: place].rawValue)
        case .products(let place): if let ids = terms[keyPath: place] { member(named: key.name, ids.sorted()) }
        case .lapseReasons(let place):
            guard let reasons = terms[keyPath: place] else { return }
            member(named: key.name, LapseReason.allCases.filter(reasons.contains).map(\.rawValue))
        case .storefronts(let place):
            if let storefronts = terms[keyPath: place] { member(named: key.name, storefronts.sorted()) }
        case .holdout(let place):
            guard let holdout = terms[keyPath: place] else { return }
            member(named: key.name)
            object { json in
                json.member("percent", Int64(holdout.percent))
                if let name = holdout.name { json.member("name", name) }
            }
        }
    }

    private mutating func member(named name: String, _ number: Int) {
        member(named: name)
        self.number(Int64(number))
    }

    private mutating func member(named name: String, _ texts: [String]) {
        member(named: name)
        array { list in for text in texts { list.string(text) } }
    }
}

extension JSONWriter {
    mutating func member(named name: String, _ text: String) {
        member(named: name)
        string(text)
    }
}
