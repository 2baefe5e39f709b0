import Offers

/// Reads one offer in `catalog.yaml` with its rules; rules that could never be met are faults.
struct OfferRulesReader {
    /// The keys of an offer.
    static let keys = [
        "id", "audience", "startsAt", "endsAt", "maxRedemptions", "scope", "fromProducts", "minimumLapsedDays",
        "maximumLapsedDays", "afterRefund", "familyShared", "assigned", "maximumSignaturesPerCustomer",
        "signaturePeriodDays",
    ]

    private static let mostLapsedDays = 36_500

    /// A product that an offer names, to be looked for once all products are known.
    private struct NamedProduct {
        let id: String
        let place: ConfigurationNode
        /// The group that it has to be of; `nil` for any.
        let groupId: String?
    }

    private var named: [NamedProduct] = []

    /// Reads an offer.
    ///
    /// - Parameters:
    ///   - members: Its members.
    ///   - id: Its identifier; `nil` when that is at fault.
    ///   - groupId: The group of its product; `nil` when that is at fault.
    /// - Returns: The offer; `nil` without an identifier.
    mutating func offer(_ members: ConfigurationMapping, id: String?, groupId: String?) -> PromotionalOffer? {
        let audience = members["audience"]?.choices(
            "an audience",
            of: SubscriberState.audience,
            fix: "nobody could get the offer; name at least one state, or leave the key out for all"
        )
        let startsAt = members["startsAt"]?.value("an RFC 3339 time", Timestamp.init(parsingRFC3339:))
        let endsAt = members["endsAt"]?.value("an RFC 3339 time", Timestamp.init(parsingRFC3339:))
        if let startsAt, let endsAt, endsAt <= startsAt {
            members["endsAt"]?.fault("is not after startsAt (\(startsAt.rfc3339)); the offer would never be on")
        }
        let maxRedemptions = members["maxRedemptions"]?.wholeNumber(in: 1...1_000_000)
        let signatureLimit = signatureLimit(members)
        let scope = members["scope"]?.choice("a scope", of: OfferScope.allCases) ?? .group
        let fromProducts = fromProducts(members["fromProducts"], groupId: scope == .app ? nil : groupId)
        let lapsedDays = lapsedDays(members)
        let afterRefund = members["afterRefund"]?.choice("a treatment", of: OfferTreatment.allCases) ?? .refuse
        let familyShared = members["familyShared"]?.choice("a treatment", of: OfferTreatment.allCases) ?? .refuse
        let assigned = members["assigned"]?.choice("a treatment", of: OfferTreatment.allCases) ?? .refuse
        if let audience, !audience.contains(.lapsed) {
            refuseWithoutLapsed(members, afterRefund: afterRefund)
        }
        guard let id else { return nil }
        return PromotionalOffer(
            id: id,
            audience: audience ?? Set(SubscriberState.audience),
            startsAt: startsAt,
            endsAt: endsAt,
            maxRedemptions: maxRedemptions,
            signatureLimit: signatureLimit,
            scope: scope,
            fromProducts: fromProducts,
            minimumLapsedDays: lapsedDays.minimum,
            maximumLapsedDays: lapsedDays.maximum,
            afterRefund: afterRefund,
            familyShared: familyShared,
            assigned: assigned
        )
    }

    /// Looks for the products that offers name.
    func checkProducts(against groups: [SubscriptionGroup]) {
        for product in named {
            let homes = groups.filter { $0.products.contains { $0.id == product.id } }.map(\.id)
            if homes.isEmpty {
                let known = groups.flatMap(\.products).map(\.id)
                product.place.fault(
                    "\(Echo.name(product.id)) is no product of this app in the catalog; "
                        + NearestName.hint(for: product.id, among: known)
                )
            } else if let groupId = product.groupId, !homes.contains(groupId) {
                product.place.fault(
                    "\(Echo.known(product.id)) is a product of another group, but this offer has scope: group; write "
                        + "scope: app, or name products of group \(Echo.known(groupId))"
                )
            }
        }
    }

    private mutating func fromProducts(_ list: ConfigurationNode?, groupId: String?) -> Set<String>? {
        guard
            let nodes = list?.filledList(
                of: "product ids",
                fix: "nobody could get the offer; name at least one product, or leave the key out for all"
            )
        else { return nil }
        var products: Set<String> = []
        var uses = FirstUses<String>()
        for node in nodes {
            guard let id = node.identifier() else { continue }
            uses.claim(id, at: node, "another product of this list")
            products.insert(id)
            named.append(NamedProduct(id: id, place: node, groupId: groupId))
        }
        return products
    }

    private func signatureLimit(_ members: ConfigurationMapping) -> SignatureLimit? {
        let maximum = members["maximumSignaturesPerCustomer"]?.wholeNumber(in: 1...1_000_000)
        let days = members["signaturePeriodDays"]?.wholeNumber(in: 1...36500)
        return maximum.map { SignatureLimit(maximumSignaturesPerCustomer: $0, periodDays: days ?? 30) }
    }

    private func lapsedDays(_ members: ConfigurationMapping) -> (minimum: Int?, maximum: Int?) {
        let minimum = members["minimumLapsedDays"]?.wholeNumber(in: 1...Self.mostLapsedDays)
        let maximum = members["maximumLapsedDays"]?.wholeNumber(in: 1...Self.mostLapsedDays)
        if let minimum, let maximum, maximum < minimum {
            members["maximumLapsedDays"]?.fault(
                "is less than minimumLapsedDays (\(minimum)); no lapsed subscriber could get the offer"
            )
        }
        return (minimum, maximum)
    }

    /// Rules about lapsed subscribers mean nothing where the audience leaves these out.
    private func refuseWithoutLapsed(_ members: ConfigurationMapping, afterRefund: OfferTreatment) {
        for key in ["minimumLapsedDays", "maximumLapsedDays"] {
            members[key]?.fault(
                "concerns lapsed subscribers, but the audience leaves them out; add lapsed to the audience, or remove "
                    + "this rule"
            )
        }
        if afterRefund == .allow {
            members["afterRefund"]?.fault(
                "allows customers after a refund, who count as lapsed, but the audience leaves these out; add lapsed to "
                    + "the audience, or remove this rule"
            )
        }
    }
}
