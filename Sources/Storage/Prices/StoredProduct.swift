import Foundation
import Offers

/// A product in a country, as the text of its row has it.
struct StoredProduct: Codable {
    /// A price, or the terms of an offer, with the first and the last report of it.
    struct Seen: Codable {
        var price: String
        var currency: String?
        var symbol: String?
        var paymentMode: Int?
        var unit: Int?
        var periods: Int?
        /// In milliseconds since 1970, as the last one.
        var firstSeen: Int64 = 0
        var lastSeen: Int64 = 0
        var count = 0
    }

    struct Offer: Codable {
        /// `nil` for the introductory offer.
        var offerId: String?
        var terms: [Seen]
    }

    var prices: [Seen]
    var offers: [Offer]
}

extension StoredProduct.Seen {
    fileprivate init(_ tag: PriceTag) {
        self.init(price: tag.price.text, currency: tag.currency.code, symbol: tag.symbol)
    }

    fileprivate init(_ terms: ObservedTerms) {
        self.init(
            price: terms.price.text,
            currency: terms.currency?.code,
            paymentMode: terms.paymentMode.rawValue,
            unit: terms.unit.rawValue,
            periods: terms.count
        )
    }

    fileprivate var priceTag: PriceTag? {
        guard let price = Price(price), let currency = currency.flatMap({ CurrencyCode($0) }) else { return nil }
        return PriceTag(price: price, currency: currency, symbol: symbol)
    }

    fileprivate var offerTerms: ObservedTerms? {
        guard let price = Price(price), let mode = paymentMode.flatMap(PaymentMode.init(rawValue:)),
            let unit = unit.flatMap(PeriodUnit.init(rawValue:)), let periods,
            ObservedTerms.counts.contains(Int64(periods))
        else { return nil }
        return ObservedTerms(
            price: price,
            currency: currency.flatMap { CurrencyCode($0) },
            paymentMode: mode,
            unit: unit,
            count: periods
        )
    }
}

extension ObservedProduct {
    /// The text of its row.
    func stored() throws(StorageFailure) -> String {
        let offers = offers.map { name, log in
            StoredProduct.Offer(offerId: name.offerId, terms: log.stored(StoredProduct.Seen.init))
        }
        let stored = StoredProduct(prices: prices.stored(StoredProduct.Seen.init), offers: offers)
        guard let json = try? JSONEncoder().encode(stored) else { throw .malformed("body") }
        return String(decoding: json, as: UTF8.self)
    }

    init(_ productId: String, stored text: String) throws(StorageFailure) {
        let unreadable = StorageFailure(.malformed, "what is known of the product \(productId) cannot be read")
        guard let stored = try? JSONDecoder().decode(StoredProduct.self, from: Data(text.utf8)),
            let prices = ObservationLog(stored.prices, \.priceTag)
        else { throw unreadable }
        var offers: [OfferName: ObservationLog<ObservedTerms>] = [:]
        for offer in stored.offers {
            guard let terms = ObservationLog(offer.terms, \.offerTerms) else { throw unreadable }
            offers[offer.offerId.map(OfferName.promotional) ?? .introductory] = terms
        }
        self.init(productId: productId, prices: prices, offers: offers)
    }
}

extension ObservationLog {
    fileprivate func stored(_ value: (Value) -> StoredProduct.Seen) -> [StoredProduct.Seen] {
        ([newest] + older).map { observation in
            var seen = value(observation.value)
            seen.firstSeen = observation.firstSeen.millisecondsSince1970
            seen.lastSeen = observation.lastSeen.millisecondsSince1970
            seen.count = observation.count
            return seen
        }
    }

    /// `nil` where one cannot be read, or there is none.
    fileprivate init?(_ stored: [StoredProduct.Seen], _ value: (StoredProduct.Seen) -> Value?) {
        let observations = stored.compactMap { seen in
            value(seen).map { value in
                Observation(
                    value: value,
                    firstSeen: Timestamp(millisecondsSince1970: seen.firstSeen),
                    lastSeen: Timestamp(millisecondsSince1970: seen.lastSeen),
                    count: seen.count
                )
            }
        }
        guard observations.count == stored.count, let newest = observations.first else { return nil }
        self.init(newest: newest, older: Array(observations.dropFirst()))
    }
}
