import Offers
import Storage
import StrictJSON

/// A funnel as it is printed: a table for people, or JSON.
struct FunnelReport {
    let funnel: Funnel
    let period: FunnelPeriod
    let environment: AppStoreEnvironment

    var json: String {
        var writer = JSONWriter(capacity: 512 * (funnel.lines.count + 1))
        writer.object { json in
            json.member("environment", environment.rawValue)
            if let start = period.start { json.member("since", start.rfc3339) }
            if let end = period.end { json.member("until", end.rfc3339) }
            json.objects("offers", funnel.lines) { $1.members(of: $0) }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    var text: String {
        var text = "\(environment.rawValue), \(days), days in UTC\n"
        var app: String?
        for line in funnel.lines {
            if line.offer.bundleId != app {
                app = line.offer.bundleId
                text +=
                    "\n\(line.offer.bundleId)\n"
                    + row("offer", ["asked", "eligible", "signed", "redeemed"], "paid")
            }
            text += row(
                line.name,
                [
                    "\(line.signatures.asked)", "\(line.signatures.eligible)", "\(line.signed)", "\(line.redeemed)",
                ],
                line.paid
            )
            for remark in line.remarks { text += "    \(remark)\n" }
        }
        if funnel.lines.isEmpty { text += "\nNo offer is on record, and the catalog has none.\n" }
        return String(text.dropLast())
    }

    private var days: String {
        let last = period.end.map { $0.adding(seconds: -1).day }
        switch (period.start?.day, last) {
        case (nil, nil): return "all days on record"
        case (let first?, nil): return "from \(first) on"
        case (nil, let last?): return "up to \(last)"
        case (let first?, let last?): return first == last ? first : "from \(first) to \(last)"
        }
    }

    private func row(_ name: String, _ numbers: [String], _ paid: String) -> String {
        let padded = numbers.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }
        let width = max(24, funnel.lines.map(\.name.count).max() ?? 0)
        let first = name + String(repeating: " ", count: max(0, width - name.count))
        let row = "  " + first + padded.joined() + (paid.isEmpty ? "" : "  " + paid)
        return row + "\n"
    }
}

extension Funnel.Line {
    fileprivate var name: String {
        offer.request == CountedDecision.unlisted
            ? "(not in the catalog)" : "\(offer.request.productId) \(offer.request.offerId)"
    }

    fileprivate var paid: String {
        var parts = payments.map { payment in
            "\(payment.redemptions) × \(payment.price.text)" + (payment.isReported ? " (as reported)" : "")
        }
        if unpriced > 0 { parts.append("\(unpriced) × unknown") }
        return parts.joined(separator: ", ")
    }

    fileprivate var remarks: [String] {
        var remarks: [String] = []
        if !signatures.refusals.isEmpty { remarks.append("refused: " + signatures.refusalsInWords) }
        if eligibility.asked > 0 {
            let refused = eligibility.refusals.isEmpty ? "" : "; refused: " + eligibility.refusalsInWords
            remarks.append("eligibility asked \(eligibility.asked), eligible \(eligibility.eligible)" + refused)
        }
        if retention.asked > 0 {
            let refused = retention.refusals.isEmpty ? "" : "; refused: " + retention.refusalsInWords
            remarks.append("retention calls \(retention.asked), eligible \(retention.eligible)" + refused)
        }
        if redeemed > redeemedBySignature {
            remarks.append("redeemed by signatures that are not in this ledger: \(redeemed - redeemedBySignature)")
        }
        if givenByApple > 0 {
            remarks.append("given by Apple itself, on the page where a subscription is cancelled: \(givenByApple)")
        }
        return remarks
    }
}

extension Funnel.Decided {
    fileprivate var refusalsInWords: String {
        refusalsByCount.map { "\($0.reason.rawValue) \($0.count)" }.joined(separator: ", ")
    }
}

extension PaidPrice {
    fileprivate var text: String { "\(amount) \(currency)" }
}

extension JSONWriter {
    fileprivate mutating func members(of line: Funnel.Line) {
        member("bundleId", line.offer.bundleId)
        if line.offer.request != CountedDecision.unlisted {
            member("productId", line.offer.request.productId)
            member("offerId", line.offer.request.offerId)
        }
        members(of: line.signatures)
        member("signed", Int64(line.signed))
        member("redeemed", Int64(line.redeemed))
        member("redeemedBySignature", Int64(line.redeemedBySignature))
        member("givenByApple", Int64(line.givenByApple))
        objects("paid", line.payments) { payment, json in
            json.member("price", payment.price.amount)
            json.member("currency", payment.price.currency)
            json.member("redemptions", Int64(payment.redemptions))
            json.member("source", payment.isReported ? "productReports" : "signedTransactions")
        }
        member("priceUnknown", Int64(line.unpriced))
        object("eligibility") { $0.members(of: line.eligibility) }
        object("retention") { $0.members(of: line.retention) }
    }

    private mutating func members(of decided: Funnel.Decided) {
        member("asked", Int64(decided.asked))
        member("eligible", Int64(decided.eligible))
        member("refusals", decided.refusalsByCount.map { (key: $0.reason.rawValue, value: $0.count) })
    }
}

/// What clients' reports say that offers cost, for redemptions whose price Apple did not say.
struct ReportedPrices {
    private struct Place: Hashable {
        let bundleId: String
        let country: CountryCode
    }

    private var products: [Place: [String: ObservedProduct]] = [:]

    init(of figures: FunnelFigures, in reports: any SQLDatabase) async throws(StorageFailure) {
        let places = figures.redemptions.keys.filter { $0.price == nil }.compactMap { redemptions in
            redemptions.storefront.flatMap(CountryCode.init).map {
                Place(bundleId: redemptions.offer.bundleId, country: $0)
            }
        }
        for place in Set(places) {
            let known = try await reports.products(of: place.bundleId, in: place.country)
            products[place] = Dictionary(known.map { ($0.productId, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The price that was reported last.
    func price(of offer: FunnelFigures.Offer, in storefront: String) -> PaidPrice? {
        guard let country = CountryCode(storefront),
            let product = products[Place(bundleId: offer.bundleId, country: country)]?[offer.request.productId],
            let terms = product.offers[.promotional(offer.request.offerId)]?.newest.value
        else { return nil }
        return PaidPrice(
            milliunits: terms.price.tenThousandths / 10,
            currency: product.prices.newest.value.currency.code
        )
    }
}
