import Foundation

/// A resource of the App Store Connect API.
struct ConnectResource: Sendable {
    typealias Value = any Sendable & CustomStringConvertible

    /// The types that are played: all the attributes that a request may name, and the types of related resources.
    static let types: [String: (attributes: Set<String>, relations: [String: String])] = [
        "apps": (
            ["name", "bundleId", "sku", "primaryLocale", "contentRightsDeclaration", "isOrEverWasMadeForKids"],
            ["subscriptionGroups": "subscriptionGroups"]
        ),
        "subscriptionGroups": (
            ["referenceName"],
            ["subscriptions": "subscriptions", "subscriptionGroupLocalizations": "subscriptionGroupLocalizations"]
        ),
        "subscriptionGroupLocalizations": (["name", "customAppName", "locale", "state"], [:]),
        "subscriptions": (
            [
                "name", "productId", "familySharable", "state", "subscriptionPeriod", "groupLevel", "reviewNote",
                "groupPurchaseInvitationMode",
            ],
            [
                "promotionalOffers": "subscriptionPromotionalOffers", "winBackOffers": "winBackOffers",
                "introductoryOffers": "subscriptionIntroductoryOffers", "offerCodes": "subscriptionOfferCodes",
                "subscriptionAvailability": "subscriptionAvailabilities", "prices": "subscriptionPrices",
                "pricePoints": "subscriptionPricePoints", "subscriptionLocalizations": "subscriptionLocalizations",
            ]
        ),
        "subscriptionLocalizations": (["name", "description", "locale", "state"], [:]),
        "subscriptionPrices": (
            ["startDate", "preserved"],
            ["territory": "territories", "subscriptionPricePoint": "subscriptionPricePoints"]
        ),
        "subscriptionPromotionalOffers": (
            ["name", "offerCode", "duration", "offerMode", "numberOfPeriods", "targetSubscriptionPlanType"],
            ["prices": "subscriptionPromotionalOfferPrices"]
        ),
        "subscriptionPromotionalOfferPrices": (
            [], ["territory": "territories", "subscriptionPricePoint": "subscriptionPricePoints"]
        ),
        "subscriptionPricePoints": (["customerPrice", "proceeds", "proceedsYear2"], ["territory": "territories"]),
        "winBackOffers": (
            ["referenceName", "offerId", "startDate", "endDate", "priority", "duration", "offerMode", "periodCount"],
            [:]
        ),
        "subscriptionIntroductoryOffers": (
            ["duration", "offerMode", "numberOfPeriods", "startDate", "endDate"], ["territory": "territories"]
        ),
        "subscriptionOfferCodes": (["name", "active", "duration", "offerMode", "numberOfPeriods"], [:]),
        "subscriptionAvailabilities": ([], ["availableTerritories": "territories"]),
        "territories": (["currency"], [:]),
    ]

    /// The relationships to one resource, or none.
    static let toOne: Set = ["territory", "subscriptionPricePoint", "subscriptionAvailability"]

    let type: String
    let id: String
    let attributes: [String: Value]
    let related: [String: [ConnectResource]]

    /// Attributes without a value are left out, as Apple leaves `null` out.
    init(_ type: String, _ id: String, _ attributes: [String: Value?], _ related: [String: [ConnectResource]] = [:]) {
        self.type = type
        self.id = id
        self.attributes = attributes.compactMapValues(\.self)
        self.related = related
    }

    /// The words for customers, which the stand-in has in one language.
    fileprivate static func localization(_ type: String, of id: String, _ name: String) -> Self {
        Self(type, "\(id)-L", ["name": name, "locale": "en-US", "state": "APPROVED"])
    }
}

extension Scenario.App {
    /// The app with all that is below it.
    var connectResource: ConnectResource {
        let id = String(appAppleId ?? Self.usualAppleId)
        var number = 99
        let groups = subscriptionGroups.map { content in
            let products = content.products.map { product in
                number += 1
                return product.connectResource(id: "\(id)\(number)", currency: currency ?? "USD")
            }
            let name = content.name ?? content.id
            let localization = ConnectResource.localization("subscriptionGroupLocalizations", of: content.id, name)
            return ConnectResource(
                "subscriptionGroups",
                content.id,
                ["referenceName": name],
                ["subscriptions": products, "subscriptionGroupLocalizations": [localization]]
            )
        }
        let attributes: [String: ConnectResource.Value?] = [
            "bundleId": bundleId, "name": name ?? bundleId, "sku": bundleId, "primaryLocale": "en-US",
            "isOrEverWasMadeForKids": false,
        ]
        return ConnectResource("apps", id, attributes, ["subscriptionGroups": groups])
    }
}

extension Scenario.Product {
    fileprivate func connectResource(id: String, currency: String) -> ConnectResource {
        let places = (territories ?? ["USA"]).map { ConnectResource("territories", $0, ["currency": currency]) }
        let period = period ?? .month
        let attributes: [String: ConnectResource.Value?] = [
            "productId": self.id, "name": name ?? self.id, "state": state ?? "APPROVED", "groupLevel": level ?? 1,
            "familySharable": familySharable ?? false, "subscriptionPeriod": period.connectName,
            "groupPurchaseInvitationMode": groupPurchaseInvitationMode,
        ]
        let points = places.map { place in
            let amount = "\(price ?? 9.99)"
            let prices = ["customerPrice": amount, "proceeds": amount, "proceedsYear2": amount]
            return ConnectResource("subscriptionPricePoints", "\(id)-\(place.id)", prices, ["territory": [place]])
        }
        let prices = zip(places, points).map { place, point in
            let related = ["territory": [place], "subscriptionPricePoint": [point]]
            return ConnectResource("subscriptionPrices", "\(id)-\(place.id)", ["preserved": false], related)
        }
        let promotional = (offers ?? []).enumerated().map { number, offer in
            let plan = monthlyPrice == nil ? nil : offer.billingPlanType == .monthly ? "MONTHLY" : "UPFRONT"
            return offer.promotional(id: "\(id)-P\(number)", period: period, plan: plan, places)
        }
        let winBacks = (winBackOffers ?? []).enumerated().map { number, offer in
            let terms = [
                "offerId": offer.id, "referenceName": offer.id, "priority": "NORMAL", "startDate": offer.startDate,
                "endDate": offer.endDate,
            ]
            return ConnectResource("winBackOffers", "\(id)-W\(number)", terms)
        }
        let introductory = introductoryOffer.map { offer in
            places.map { place in
                let id = "\(id)-I\(place.id)"
                return ConnectResource(
                    "subscriptionIntroductoryOffers",
                    id,
                    offer.connectTerms(period),
                    ["territory": [place]]
                )
            }
        }
        let codes = (offerCodes ?? []).enumerated().map { number, name in
            ConnectResource("subscriptionOfferCodes", "\(id)-C\(number)", ["name": name, "active": true])
        }
        let localization = ConnectResource.localization("subscriptionLocalizations", of: id, name ?? self.id)
        let availability = ConnectResource("subscriptionAvailabilities", id, [:], ["availableTerritories": places])
        return ConnectResource(
            "subscriptions",
            id,
            attributes,
            [
                "promotionalOffers": promotional, "winBackOffers": winBacks, "introductoryOffers": introductory ?? [],
                "offerCodes": codes, "subscriptionAvailability": [availability], "prices": prices,
                "pricePoints": points, "subscriptionLocalizations": [localization],
            ]
        )
    }
}

extension Scenario.Offer {
    fileprivate func connectTerms(_ period: SubscriptionPeriod) -> [String: ConnectResource.Value?] {
        let ownPeriod = self.period ?? (billingPlanType == .monthly ? .month : period)
        let mode = mode ?? .payAsYouGo
        return ["offerMode": mode.discountType, "numberOfPeriods": periods ?? 1, "duration": ownPeriod.connectName]
    }

    /// It has prices where the scenario says, else where the product is sold.
    fileprivate func promotional(
        id: String,
        period: SubscriptionPeriod,
        plan: String?,
        _ places: [ConnectResource]
    ) -> ConnectResource {
        let prices = places.filter { territories?.contains($0.id) ?? true }.map { place in
            let id = "\(id)-\(place.id)"
            let point = ConnectResource("subscriptionPricePoints", id, ["customerPrice": "\(price ?? 4.99)"])
            let related = ["territory": [place], "subscriptionPricePoint": mode == .freeTrial ? [] : [point]]
            return ConnectResource("subscriptionPromotionalOfferPrices", id, [:], related)
        }
        var attributes = connectTerms(period)
        attributes["offerCode"] = self.id
        attributes["name"] = self.id
        attributes["targetSubscriptionPlanType"] = plan
        return ConnectResource("subscriptionPromotionalOffers", id, attributes, ["prices": prices])
    }
}

extension SubscriptionPeriod {
    /// App Store Connect's name of it; `nil` for a length that it does not have.
    fileprivate var connectName: String? {
        let names = [
            "P3D": "THREE_DAYS", "P1W": "ONE_WEEK", "P2W": "TWO_WEEKS", "P1M": "ONE_MONTH", "P2M": "TWO_MONTHS",
            "P3M": "THREE_MONTHS", "P6M": "SIX_MONTHS", "P1Y": "ONE_YEAR",
        ]
        return names[text]
    }
}
