/// What an offer saves in each billing period, against the product's price.
public struct OfferSaving: Equatable, Sendable {
    /// The money saved in each period, rounded down to what the currency can pay.
    public let perPeriod: Price
    /// The same in per cent of the price, 0 to 100, rounded down.
    public let percent: Int

    /// Works out what an offer saves; `nil` when it cannot be told, or nothing is saved.
    ///
    /// - Parameters:
    ///   - terms: The offer's terms.
    ///   - price: The product's price for one billing period.
    ///   - currency: The currency of both.
    ///   - period: The product's billing period; `nil` when the catalog does not say. Only an offer that is paid up front
    ///     needs it.
    public init?(
        by terms: OfferTerms,
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
