import Offers
import StrictJSON

extension ProductReport {
    init(reading reader: inout JSONReader) throws(JSONFault) {
        var productId: String?
        var price: Price?
        var country: CountryCode?
        var currency: CurrencyCode?
        var symbol: String?
        var offers: [ReportedOffer] = []
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "product_id": productId = try reader.readIdentifier()
            case "price": price = try reader.readPrice()
            case "country_code": country = try reader.readCountry()
            case "currency_code": currency = try reader.readCurrency()
            case "symbol": symbol = try reader.readSymbol()
            case "promotion": offers = try reader.readPromotions()
            default:
                throw JSONFault(
                    unknownAmong: ["product_id", "price", "country_code", "currency_code", "symbol", "promotion"]
                )
            }
        }
        self.init(
            productId: try reader.required(productId, "product_id"),
            country: try reader.required(country, "country_code"),
            tag: PriceTag(
                price: try reader.required(price, "price"),
                currency: try reader.required(currency, "currency_code"),
                symbol: symbol
            ),
            offers: offers
        )
    }
}

extension JSONReader {
    fileprivate func required<Value>(_ value: Value?, _ name: String) throws(JSONFault) -> Value {
        guard let value else { throw JSONFault(.missingMember, "The member is missing.").inside(member: name) }
        return value
    }

    /// Reads an amount from a number's own text, or from a string: nothing is rounded.
    fileprivate mutating func readPrice() throws(JSONFault) -> Price {
        let text: String? =
            switch try readScalar() {
            case .string(let text), .number(let text): text
            case .bool, .null: nil
            }
        guard let text, let price = Price(text) else {
            throw JSONFault(
                .invalidValue,
                "A price is expected, such as 9.99 or \"9.99\": not negative, without exponent, with at most four decimals."
            )
        }
        return price
    }

    fileprivate mutating func readCountry() throws(JSONFault) -> CountryCode {
        guard let country = CountryCode(try readString()) else {
            throw JSONFault(.invalidValue, "A country of ISO 3166-1 is expected, such as DE or DEU.")
        }
        return country
    }

    fileprivate mutating func readCurrency() throws(JSONFault) -> CurrencyCode {
        guard let currency = CurrencyCode(try readString()) else {
            throw JSONFault(.invalidValue, "A currency of ISO 4217 is expected, such as EUR.")
        }
        return currency
    }

    fileprivate mutating func readSymbol() throws(JSONFault) -> String? {
        let symbol = try readString()
        guard symbol.utf8.count <= 32 else { throw JSONFault(.invalidValue, "A symbol has at most 32 bytes.") }
        guard !ControlCharacter.isFound(in: symbol) else {
            throw JSONFault(.invalidValue, "A symbol has no control characters.")
        }
        return symbol.isEmpty ? nil : symbol
    }

    fileprivate mutating func readPromotions() throws(JSONFault) -> [ReportedOffer] {
        if try nextType() == .null {
            try skipValue()
            return []
        }
        var offers: [ReportedOffer] = []
        try readArray { (index, reader) throws(JSONFault) in
            guard index < ObservedProduct.mostOffers else {
                throw JSONFault(.invalidValue, "A report may have \(ObservedProduct.mostOffers) offers.")
            }
            let offer = try reader.readPromotion()
            guard !offers.contains(where: { $0.name == offer.name }) else {
                throw JSONFault(.invalidValue, "The report has this offer already.")
            }
            offers.append(offer)
        }
        return offers
    }

    private mutating func readPromotion() throws(JSONFault) -> ReportedOffer {
        var price: Price?
        var unit: PeriodUnit?
        var type: Int?
        var mode: PaymentMode?
        var code: String?
        var count: Int?
        try readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "promotion_price": price = try reader.readPrice()
            case "promotion_period":
                unit = try reader.readChoice(PeriodUnit.init(rawValue:), "0 for days, 1 weeks, 2 months, 3 years")
            case "discount_type": type = try reader.readChoice({ $0 }, "0 for introductory, 1 promotional", in: 0...1)
            case "promotion_type":
                mode = try reader.readChoice(
                    PaymentMode.init(rawValue:),
                    "0 for pay as you go, 1 pay up front, 2 free trial"
                )
            case "promotion_code": code = try reader.readCode()
            case "promotion_time":
                count = try reader.readChoice({ $0 }, "a number of periods from 1 to 1000", in: ObservedTerms.counts)
            default:
                throw JSONFault(
                    unknownAmong: [
                        "promotion_price", "promotion_period", "discount_type", "promotion_type", "promotion_code",
                        "promotion_time",
                    ]
                )
            }
        }
        let terms = ObservedTerms(
            price: try required(price, "promotion_price"),
            paymentMode: try required(mode, "promotion_type"),
            unit: try required(unit, "promotion_period"),
            count: try required(count, "promotion_time")
        )
        guard terms.paymentMode != .freeTrial || terms.price.tenThousandths == 0 else {
            throw JSONFault(.invalidValue, "A free trial costs 0.").inside(member: "promotion_price")
        }
        if try required(type, "discount_type") == 0 { return ReportedOffer(name: .introductory, terms: terms) }
        return ReportedOffer(name: .promotional(try required(code, "promotion_code")), terms: terms)
    }

    /// Reads the identifier of an offer; introductory ones have none, which some clients write as null or "".
    private mutating func readCode() throws(JSONFault) -> String? {
        if try nextType() == .null {
            try skipValue()
            return nil
        }
        var ahead = self
        if try ahead.readString().isEmpty {
            self = ahead
            return nil
        }
        return try readIdentifier()
    }

    private mutating func readChoice<Value>(
        _ make: (Int) -> Value?,
        _ choices: String,
        in range: ClosedRange<Int64> = 0...9
    ) throws(JSONFault) -> Value {
        let number = try readInt64()
        guard range.contains(number), let value = make(Int(number)) else {
            throw JSONFault(.invalidValue, "Expected is \(choices).")
        }
        return value
    }
}

/// The body of `POST /v1/product-reports`: one report or an array of them, each well-formed or at fault on its own.
struct ProductReportsCall {
    /// The readable reports, each with its place in the array.
    private(set) var reports: [(index: Int, report: ProductReport)] = []
    private(set) var rejected: [RejectedReport] = []
    private static let maximumReports = 1000

    init(json: [UInt8]) throws(JSONFault) {
        var reader = JSONReader(json)
        if try reader.nextType() == .array {
            try reader.readArray { (index, reader) throws(JSONFault) in
                guard index < Self.maximumReports else {
                    throw JSONFault(.invalidValue, "A call may have \(Self.maximumReports) reports.")
                }
                try read(reader.readText(), index: index)
            }
        } else {
            guard try reader.nextType() == .object else {
                throw JSONFault(.wrongType, "A product report is expected, or an array of them.")
            }
            try read(reader.readText(), index: 0)
        }
        try reader.readEnd()
    }

    private mutating func read(_ json: [UInt8], index: Int) throws(JSONFault) {
        do throws(JSONFault) {
            var reader = JSONReader(json)
            reports.append((index, try ProductReport(reading: &reader)))
        } catch {
            let place = error.pointer.isEmpty ? "" : "\(error.pointer): "
            rejected.append(RejectedReport(index: index, code: error.code.rawValue, detail: place + error.detail))
        }
    }
}

struct RejectedReport {
    /// Its place in the array, from 0.
    let index: Int
    let code: String
    /// The fault in a sentence, after a JSON Pointer into the report where one member is at fault.
    let detail: String
}
