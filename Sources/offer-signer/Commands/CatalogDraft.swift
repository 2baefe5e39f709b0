import AppStore
import Offers
import StoreKitConfiguration

/// An app's products and offers, as `catalog write` prints them.
struct CatalogDraft {
    struct Group {
        let id: String
        let name: String?
        let products: [Product]
    }

    struct Product {
        let id: String
        let note: String
        let level: Int?
        let period: SubscriptionPeriod?
        let winBackOffers: [Offer]
        let offers: [Offer]
    }

    struct Offer {
        let id: String
        var url: String?
        let note: String?
    }

    /// Stands for the id of a group that Xcode's file does not have; no configuration is accepted with it.
    static let unknownGroup = "GROUP_ID"

    /// Its source: a file, or App Store Connect.
    let source: String
    /// More that its reader has to know.
    var notes: [String] = []
    let bundleId: String
    var name: String?
    let appAppleId: String?
    let groups: [Group]
}

extension CatalogDraft {
    /// What App Store Connect has; win-back offers that are over on the day are left out.
    init(_ connect: ConnectCatalog, on day: String) {
        source = "App Store Connect"
        (bundleId, name, appAppleId) = (connect.bundleId, connect.name, connect.appAppleId)
        notes = connect.leftOutInWords.map { ["Left out, as no catalog has it: \($0)."] } ?? []
        groups = connect.groups.map { group in
            Group(id: group.id, name: group.name, products: group.products.map { Product($0, on: day) })
        }
    }

    /// What Xcode's file has; `groupIds` are the ids that App Store Connect has, by the groups' places in it.
    init(_ file: StoreKitFile, bundleId: String, groupIds: [Int: String]) {
        let synchronisation = file.synchronisation
        let moment = synchronisation.map { Timestamp(millisecondsSince1970: $0.secondsSince1970 * 1000).rfc3339 }
        source =
            "Xcode's StoreKit configuration file, "
            + (moment.map { "as App Store Connect had it on \($0)," }
                ?? "which was never synchronised with App Store Connect,")
        notes = ["The file does not say what is approved and for sale: `offer-signer catalog compare` does."]
        let left = [
            (count: file.products.reduce(0) { $0 + $1.introductory.count }, thing: "introductory offer"),
            (count: file.products.reduce(0) { $0 + $1.codes }, thing: "offer code"),
        ].filter { $0.count > 0 }.map { $0.count.of($0.thing) }
        if !left.isEmpty { notes.append("Left out, as no catalog has them: \(left.joined(separator: ", ")).") }
        if file.hasKeyPair {
            notes.append(
                "The file has subscriptionOffersKeyPair, Xcode's key for tests on your machine: it is no key of this catalog."
            )
        }
        self.bundleId = bundleId
        appAppleId = synchronisation.map { String($0.appAppleId) }
        groups = file.subscriptionGroups.enumerated().map { place, group in
            let id = groupIds[place] ?? (synchronisation == nil ? Self.unknownGroup : group.id)
            // --group-id takes the id in the file, too.
            let isNamed = id != Self.unknownGroup || group.name?.isEmpty == false
            let products = group.subscriptions.map(Product.init)
            return Group(id: id, name: isNamed ? group.name : group.id, products: products)
        }
    }
}

extension CatalogDraft.Product {
    init(_ product: ConnectCatalog.Product, on day: String) {
        id = product.id
        let sale = product.isForSale ? nil : "not for sale: \(product.state)"
        note = [product.name, sale].compactMap(\.self).joined(separator: "; ")
        (level, period) = (product.level, product.period)
        winBackOffers = product.winBackOffers.filter { !$0.hasEnded(on: day) }.map { offer in
            .init(id: offer.id, url: offer.url, note: offer.endDate.map { "until \($0)" })
        }
        offers = product.offers.map { offer in
            .init(id: offer.id, note: offer.terms + (offer.isForMonthlyPlan ? ", for the plan MONTHLY alone" : ""))
        }
    }

    init(_ product: StoreKitFile.Product) {
        id = product.productID
        let prices = [product.price.map { "price \($0)" }, product.monthlyPrice.map { "MONTHLY: price \($0)" }]
        note = ([product.referenceName] + prices).compactMap(\.self).joined(separator: "; ")
        level = product.groupNumber
        period = SubscriptionPeriod(iso8601: product.recurringSubscriptionPeriod.text)
        winBackOffers = product.winBackOffers.map { .init(id: $0.offerID, note: "App Store Connect shows its url") }
        offers = product.promotionalOffers.map { offer in
            let terms = offer.terms
            let duration = (terms.periods > 1 ? "\(terms.periods) times " : "") + terms.subscriptionPeriod.text
            let words = [offer.referenceName, terms.paymentMode.rawValue, duration, terms.price.map { "price \($0)" }]
            let plan = terms.isForMonthlyPlan ? ", for the plan MONTHLY alone" : ""
            return .init(id: offer.offerID, note: words.compactMap(\.self).joined(separator: ", ") + plan)
        }
    }
}

extension ConnectCatalog {
    /// The part that a catalog does not have, in words without a full stop; `nil` where there is nothing.
    var leftOutInWords: String? {
        guard !leftOut.isEmpty else { return nil }
        return leftOut.map { "\(Echo.visible($0.name)) of \($0.products.of("product"))" }.joined(separator: ", ")
    }
}
