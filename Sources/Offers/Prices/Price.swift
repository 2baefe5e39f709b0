/// An amount of money in some currency, exact: never binary floating point.
///
/// Counted in ten-thousandths, the smallest unit that any currency of ISO 4217 has.
package struct Price: Sendable {
    /// In ten-thousandths of the currency's unit, never negative.
    package let tenThousandths: Int64
    /// The number of decimals as written, from 0 to 4.
    private let decimals: Int

    private static let mostDecimals = 4
    /// The most that is read: a million million.
    private static let mostDigits = 12

    /// An amount that is written with as few decimals as it needs; a negative one counts as none.
    package init(tenThousandths: Int64) {
        self.tenThousandths = max(0, tenThousandths)
        var decimals = Self.mostDecimals
        var rest = self.tenThousandths
        while decimals > 0, rest % 10 == 0 {
            rest /= 10
            decimals -= 1
        }
        self.decimals = decimals
    }

    /// Reads decimal text, such as `9.99`: digits, and after a point up to four digits and then zeros alone.
    ///
    /// Signs, exponents, separators of thousands and commas give `nil`.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, whole.count <= Self.mostDigits,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } })
        else { return nil }
        let fraction = parts.count == 2 ? Array(parts[1]) : []
        guard fraction.dropFirst(Self.mostDecimals).allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
        let kept = fraction.prefix(Self.mostDecimals)
        var amount: Int64 = 0
        for digit in whole { amount = amount * 10 + Int64(digit - UInt8(ascii: "0")) }
        for index in 0..<Self.mostDecimals {
            amount = amount * 10 + (index < kept.count ? Int64(kept[index] - UInt8(ascii: "0")) : 0)
        }
        self.tenThousandths = amount
        self.decimals = kept.count
    }

    /// Decimal text, with as many decimals as the amount was written with.
    package var text: String { parts(minimumDecimals: 0).joined() }

    /// For a page: the digits of the whole part and of the decimals, at least as many as the currency has, maybe none.
    package func parts(in currency: CurrencyCode) -> (whole: String, fraction: String) {
        let parts = parts(minimumDecimals: currency.decimals)
        return (parts[0], parts.count == 3 ? parts[2] : "")
    }

    /// Cut off to the decimals that a currency has.
    package func roundedDown(in currency: CurrencyCode) -> Price {
        var unit: Int64 = 1
        for _ in currency.decimals..<max(currency.decimals, Self.mostDecimals) { unit *= 10 }
        return Price(tenThousandths: tenThousandths / unit * unit, decimals: min(currency.decimals, Self.mostDecimals))
    }

    private init(tenThousandths: Int64, decimals: Int) {
        self.tenThousandths = tenThousandths
        self.decimals = decimals
    }

    /// The whole part, and where there are decimals the point and these.
    private func parts(minimumDecimals: Int) -> [String] {
        let shown = min(max(decimals, minimumDecimals), Self.mostDecimals)
        let whole = String(tenThousandths / 10_000)
        guard shown > 0 else { return [whole] }
        let digits = String(10_000 + tenThousandths % 10_000).dropFirst()
        return [whole, ".", String(digits.prefix(shown))]
    }
}

extension Price: Hashable {
    /// Whether both are the same amount, however they were written.
    package static func == (left: Price, right: Price) -> Bool { left.tenThousandths == right.tenThousandths }

    package func hash(into hasher: inout Hasher) { hasher.combine(tenThousandths) }
}

extension Price: Comparable {
    package static func < (left: Price, right: Price) -> Bool { left.tenThousandths < right.tenThousandths }
}

package struct PriceTag: Equatable, Sendable {
    package let price: Price
    package let currency: CurrencyCode
    /// The currency as the client's locale writes it, such as `€`; `nil` where the client does not say.
    package let symbol: String?

    package init(price: Price, currency: CurrencyCode, symbol: String?) {
        self.price = price
        self.currency = currency
        self.symbol = symbol
    }

    /// Locales of one country may write one currency in several ways, so the symbol does not count.
    package static func == (left: PriceTag, right: PriceTag) -> Bool {
        left.price == right.price && left.currency == right.currency
    }
}

/// The saving by an offer in each billing period, against the product's price.
package struct OfferSaving: Equatable, Sendable {
    /// Rounded down to an amount that the currency can pay.
    package let perPeriod: Price
    /// The same in per cent of the price, from 0 to 100, rounded down.
    package let percent: Int

    /// `nil` when the saving cannot be known, or nothing is saved.
    ///
    /// Only an offer that is paid up front needs the billing period, which is `nil` when the catalog does not say.
    package init?(
        by terms: ObservedTerms,
        insteadOf price: Price,
        in currency: CurrencyCode,
        billedEvery period: SubscriptionPeriod?
    ) {
        var periods = 1
        if terms.paymentMode == .payUpFront {
            guard let period, let count = terms.unit.period(terms.count).count(of: period) else { return nil }
            periods = count
        }
        let (regular, tooLarge) = price.tenThousandths.multipliedReportingOverflow(by: Int64(periods))
        guard !tooLarge, regular > terms.price.tenThousandths else { return nil }
        let saved = regular - terms.price.tenThousandths
        self.perPeriod = Price(tenThousandths: saved / Int64(periods)).roundedDown(in: currency)
        // The quotient of a product of 128 bits: at most 100, as no more is saved than paid.
        let percent = Int64(100).multipliedFullWidth(by: saved)
        self.percent = Int(regular.dividingFullWidth(percent).quotient)
    }
}

extension PaidPrice {
    /// The amount as decimal text, with the decimals that the currency has.
    package var amount: String {
        let (amount, overflow) = milliunits.multipliedReportingOverflow(by: 10)
        let price = Price(tenThousandths: overflow ? 0 : amount)
        guard let code = CurrencyCode(currency) else { return price.text }
        let (whole, fraction) = price.parts(in: code)
        return fraction.isEmpty ? whole : "\(whole).\(fraction)"
    }
}
