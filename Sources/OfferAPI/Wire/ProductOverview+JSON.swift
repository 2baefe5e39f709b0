import OfferService
import Offers
import StrictJSON

extension ProductOverview {
    /// The answer of `GET /v1/products`: one JSON object in UTF-8, without white space.
    var json: [UInt8] {
        JSONWriter.text(capacity: 1024 * (products.count + 1)) { answer in
            answer.member("bundleId", bundleId)
            answer.member("countryCode", country.alpha2)
            answer.list("products", products) { $0.write(to: &$1) }
            answer.member("unknownProducts", unknownProducts)
            answer.member("offersNeverSeen", offers.neverSeen)
            answer.member("offersNotInCatalog", offers.notInCatalog)
        }
    }
}

extension KnownProduct {
    fileprivate func write(to writer: inout JSONWriter) {
        let tag = observed.prices.newest.value
        writer.object { product in
            product.member("productId", observed.productId)
            product.flag("inCatalog", catalog != nil)
            product.members(of: tag)
            if let period = catalog?.period { product.member("period", period.iso8601) }
            product.members(of: observed.prices.newest)
            product.objects("olderPrices", observed.prices.older) { older, price in
                price.members(of: older.value)
                price.members(of: older)
            }
            product.list("offers", offers) { $0.write(to: &$1, in: tag.currency) }
        }
    }
}

extension KnownProduct.Offer {
    fileprivate func write(to writer: inout JSONWriter, in currency: CurrencyCode) {
        writer.object { offer in
            if let offerId = name.offerId {
                offer.member("offerId", offerId)
                offer.flag("inCatalog", isInCatalog)
            }
            offer.member("type", name.offerId == nil ? "introductory" : "promotional")
            offer.members(of: terms.newest.value, in: currency)
            if let duration { offer.member("duration", duration.iso8601) }
            if let saving {
                offer.object("saved") { saved in
                    saved.member("perPeriod", saving.perPeriod.text)
                    saved.member("perPeriodParts", saving.perPeriod, in: currency)
                    saved.member("percent", Int64(saving.percent))
                }
            }
            offer.members(of: terms.newest)
            offer.objects("older", terms.older) { older, terms in
                terms.members(of: older.value, in: currency)
                terms.members(of: older)
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of tag: PriceTag) {
        member("price", tag.price.text)
        member("priceParts", tag.price, in: tag.currency)
        member("currencyCode", tag.currency.code)
        if let symbol = tag.symbol { member("symbol", symbol) }
    }

    fileprivate mutating func members(of terms: ObservedTerms, in currency: CurrencyCode) {
        member("paymentMode", terms.paymentMode.wireName)
        member("price", terms.price.text)
        member("priceParts", terms.price, in: terms.currency ?? currency)
        if let currency = terms.currency { member("currencyCode", currency.code) }
        member("periodUnit", terms.unit.wireName)
        member(terms.paymentMode == .payAsYouGo ? "numberOfPeriods" : "numberOfUnits", Int64(terms.count))
    }

    fileprivate mutating func members<Value>(of observation: ObservationLog<Value>.Observation) {
        member("firstSeenAt", observation.firstSeen.rfc3339)
        member("lastSeenAt", observation.lastSeen.rfc3339)
        member("timesSeen", Int64(observation.count))
    }

    /// Writes an amount in parts, for a page to put together as its language does.
    fileprivate mutating func member(_ name: StaticString, _ price: Price, in currency: CurrencyCode) {
        let parts = price.parts(in: currency)
        object(name) { members in
            members.member("whole", parts.whole)
            members.member("fraction", parts.fraction)
        }
    }

    fileprivate mutating func member(_ name: StaticString, _ offers: [OfferRequest]) {
        objects(name, offers) { offer, members in
            members.member("productId", offer.productId)
            members.member("offerId", offer.offerId)
        }
    }
}

extension PaymentMode {
    fileprivate var wireName: String {
        switch self {
        case .payAsYouGo: "payAsYouGo"
        case .payUpFront: "payUpFront"
        case .freeTrial: "freeTrial"
        }
    }
}

extension PeriodUnit {
    fileprivate var wireName: String {
        switch self {
        case .day: "day"
        case .week: "week"
        case .month: "month"
        case .year: "year"
        }
    }
}
