/// An auto-renewable subscription with its promotional offers.
package final class Product: Sendable {
    package let id: String
    /// The billing period; `nil` when the catalog does not say.
    package let period: SubscriptionPeriod?
    /// The level in the group as App Store Connect ranks them, 1 the highest; `nil` when the catalog does not say.
    package let level: Int?
    package let offers: [PromotionalOffer]
    /// The win-back offers of which the catalog has the link.
    package let winBackOffers: [WinBackOffer]

    private let positions: [String: Int]

    /// Of two offers with the same identifier the first is found.
    package init(
        id: String,
        period: SubscriptionPeriod? = nil,
        level: Int? = nil,
        offers: [PromotionalOffer] = [],
        winBackOffers: [WinBackOffer] = []
    ) {
        self.id = id
        self.period = period
        self.level = level
        self.offers = offers
        self.winBackOffers = winBackOffers
        self.positions = Dictionary(offers.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The offer with that identifier, compared byte for byte as StoreKit does; `nil` when the product has none.
    package func offer(_ offerId: String) -> PromotionalOffer? {
        guard let offer = positions[offerId].map({ offers[$0] }), offer.id.hasSameBytes(as: offerId) else { return nil }
        return offer
    }
}

extension Product: Equatable {
    package static func == (left: Product, right: Product) -> Bool {
        left.id == right.id && left.period == right.period
            && left.level == right.level && left.offers == right.offers && left.winBackOffers == right.winBackOffers
    }
}

/// A subscription group: the products between which a customer switches, holding one at a time.
package final class SubscriptionGroup: Sendable {
    /// `subscription_group_identifier` in Apple's answers: digits.
    package let id: String
    package let products: [Product]

    package init(id: String, products: [Product]) {
        self.id = id
        self.products = products
    }
}

extension SubscriptionGroup: Equatable {
    package static func == (left: SubscriptionGroup, right: SubscriptionGroup) -> Bool {
        left.id == right.id && left.products == right.products
    }
}

/// How long a subscription's billing period lasts, or an offer on it.
///
/// A week is seven days and a year twelve months, so that periods of equal length are equal.
package enum SubscriptionPeriod: Hashable, Sendable {
    /// Days, at least one.
    case days(Int)
    /// Calendar months, at least one.
    case months(Int)

    /// The longest that is read: a hundred years.
    private static let mostUnits = 36_500

    /// Reads an ISO 8601 duration of one unit, such as `P3D`, `P1W`, `P6M` or `P1Y`; anything else gives `nil`.
    package init?(iso8601 text: String) {
        guard text.first == "P", let unit = text.last, let count = Int(text.dropFirst().dropLast()),
            text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }), (1...Self.mostUnits).contains(count)
        else { return nil }
        switch unit {
        case "D": self = .days(count)
        case "W": self = .days(7 * count)
        case "M": self = .months(count)
        case "Y": self = .months(12 * count)
        default: return nil
        }
    }

    /// The period as an ISO 8601 duration, in the largest unit that it fills.
    package var iso8601: String {
        switch self {
        case .days(let days): days % 7 == 0 ? "P\(days / 7)W" : "P\(days)D"
        case .months(let months): months % 12 == 0 ? "P\(months / 12)Y" : "P\(months)M"
        }
    }

    /// How many of the other period this one lasts; `nil` when that is no whole number of 1 or more.
    package func count(of other: SubscriptionPeriod) -> Int? {
        switch (self, other) {
        case (.days(let whole), .days(let part)), (.months(let whole), .months(let part)):
            whole % part == 0 ? whole / part : nil
        default: nil
        }
    }
}

/// A win-back offer: Apple decides who may have it, and no signature is needed.
package struct WinBackOffer: Equatable, Sendable {
    package let id: String
    /// The direct link, `https://apps.apple.com/win-back/…`, as App Store Connect shows it; `nil` where the catalog has
    /// none.
    package let url: String?

    package init(id: String, url: String?) {
        self.id = id
        self.url = url
    }
}

extension OfferPolicy {
    /// The win-back offers that the customer may have, by the newest renewal info of each group
    /// (`eligibleWinBackOfferIds`).
    ///
    /// They come in Apple's order, the best first, each once. Evidence of another app, environment or account names
    /// none, nor does evidence that is too old.
    package mutating func winBackOffers(inGroups groups: [SubscriptionGroup]) -> [WinBackOffer] {
        guard let book,
            book.chapters.contains(where: { $0.renewal?.content?.eligibleWinBackOfferIds.isEmpty == false })
        else { return [] }
        var found: [WinBackOffer] = []
        for group in groups where isEvidenceOfCustomer(inGroup: group) {
            let subscriptions = evidence.subscriptions?.all.filter { $0.group == group.id } ?? []
            let newest = subscriptions.filter { !$0.renewal.isStandIn }.max(by: Subscription.isSaidBefore)
            let known = group.products.flatMap(\.winBackOffers)
            for id in newest?.renewal.eligibleWinBackOfferIds ?? [] where !found.contains(where: { $0.id == id }) {
                found.append(known.first { $0.id == id } ?? WinBackOffer(id: id, url: nil))
            }
        }
        return found
    }
}

extension Subscription {
    /// By the date of the renewal info; of two that were said at once the identifiers decide.
    fileprivate static func isSaidBefore(_ left: Subscription, _ right: Subscription) -> Bool {
        let dates = [left, right].map { $0.renewedAsOf?.millisecondsSince1970 ?? .min }
        guard dates[0] == dates[1] else { return dates[0] < dates[1] }
        return (left.originalTransactionId ?? "") < (right.originalTransactionId ?? "")
    }
}
