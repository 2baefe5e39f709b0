import Offers
import StrictJSON

// The text of what is known of a product in a country.

extension ObservedProduct {
    var json: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.object { json in
            json.member("prices")
            json.observations(prices) { tag, json in
                json.member("price", tag.price.text)
                json.member("currency", tag.currency.code)
                if let symbol = tag.symbol { json.member("symbol", symbol) }
            }
            json.member("offers")
            json.array { list in
                for (name, log) in offers {
                    list.object { json in
                        if let offerId = name.offerId { json.member("offerId", offerId) }
                        json.member("terms")
                        json.observations(log) { terms, json in
                            json.member("price", terms.price.text)
                            if let currency = terms.currency { json.member("currency", currency.code) }
                            json.member("paymentMode", Int64(terms.paymentMode.rawValue))
                            json.member("unit", Int64(terms.unit.rawValue))
                            json.member("periods", Int64(terms.count))
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    init(_ productId: String, json: [UInt8]) throws(JSONFault) {
        var prices: ObservationLog<PriceTag>?
        var offers: [OfferName: ObservationLog<OfferTerms>] = [:]
        var reader = JSONReader(json)
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "prices": prices = try ObservationLog(reading: &reader) { $0.priceTag }
            case "offers":
                try reader.readArray { (_, reader) throws(JSONFault) in
                    var offerId: String?
                    var log: ObservationLog<OfferTerms>?
                    try reader.readObject { (name, reader) throws(JSONFault) in
                        switch name {
                        case "offerId": offerId = try reader.readString()
                        case "terms": log = try ObservationLog(reading: &reader) { $0.offerTerms }
                        default: try reader.skipValue()
                        }
                    }
                    if let log { offers[offerId.map(OfferName.promotional) ?? .introductory] = log }
                }
            default: try reader.skipValue()
            }
        }
        try reader.readEnd()
        guard let prices else { throw JSONFault(.missingMember, "What is known of a product has prices.") }
        self.init(productId: productId, prices: prices, offers: offers)
    }
}

extension JSONWriter {
    fileprivate mutating func observations<Value>(
        _ log: ObservationLog<Value>,
        _ members: (Value, inout JSONWriter) -> Void
    ) {
        array { list in
            for observation in [log.newest] + log.older {
                list.object { json in
                    members(observation.value, &json)
                    json.member("firstSeen", observation.firstSeen.millisecondsSince1970)
                    json.member("lastSeen", observation.lastSeen.millisecondsSince1970)
                    json.member("count", Int64(observation.count))
                }
            }
        }
    }
}

/// The members of one observation, as they come.
private struct ObservationFields {
    private var texts: [String: String] = [:]
    private var numbers: [String: Int64] = [:]

    init(from reader: inout JSONReader) throws(JSONFault) {
        var (texts, numbers): ([String: String], [String: Int64]) = ([:], [:])
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch try reader.nextType() {
            case .string: texts[name] = try reader.readString()
            case .number: numbers[name] = try reader.readInt64()
            default: try reader.skipValue()
            }
        }
        self.texts = texts
        self.numbers = numbers
    }

    var priceTag: PriceTag? {
        guard let price = texts["price"].flatMap({ Price($0) }),
            let currency = texts["currency"].flatMap({ CurrencyCode($0) })
        else { return nil }
        return PriceTag(price: price, currency: currency, symbol: texts["symbol"])
    }

    var offerTerms: OfferTerms? {
        guard let price = texts["price"].flatMap({ Price($0) }),
            let mode = number("paymentMode").flatMap(PaymentMode.init(rawValue:)),
            let unit = number("unit").flatMap(PeriodUnit.init(rawValue:)), let periods = number("periods"),
            OfferTerms.counts.contains(Int64(periods))
        else { return nil }
        return OfferTerms(
            price: price,
            currency: texts["currency"].flatMap { CurrencyCode($0) },
            paymentMode: mode,
            unit: unit,
            count: periods
        )
    }

    func observation<Value>(_ value: (ObservationFields) -> Value?) throws(JSONFault)
        -> ObservationLog<Value>.Observation
    {
        guard let value = value(self), let first = numbers["firstSeen"], let last = numbers["lastSeen"],
            let count = number("count")
        else { throw JSONFault(.invalidValue, "An observation cannot be read.") }
        return ObservationLog<Value>.Observation(
            value: value,
            firstSeen: Timestamp(millisecondsSince1970: first),
            lastSeen: Timestamp(millisecondsSince1970: last),
            count: count
        )
    }

    private func number(_ name: String) -> Int? { numbers[name].flatMap { Int(exactly: $0) } }
}

extension ObservationLog {
    fileprivate init(reading reader: inout JSONReader, _ value: (ObservationFields) -> Value?) throws(JSONFault) {
        var observations: [Observation] = []
        try reader.readArray { (_, reader) throws(JSONFault) in
            observations.append(try ObservationFields(from: &reader).observation(value))
        }
        guard let newest = observations.first else { throw JSONFault(.invalidValue, "There is no observation.") }
        self.init(newest: newest, older: Array(observations.dropFirst()))
    }
}
