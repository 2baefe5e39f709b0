/// The price and duration of an offer, as StoreKit shows them in one country.
package struct OfferTerms: Equatable, Sendable {
    /// How many periods or units an offer may last: far more than the App Store lets one, and few enough to reckon with.
    package static let counts: ClosedRange<Int64> = 1...1000

    /// The price: for each period, for all of it, or nothing, as ``paymentMode`` says.
    package let price: Price
    /// The currency of the price: that of the product, when the offer was seen; `nil` where it was not noted.
    package internal(set) var currency: CurrencyCode?
    /// How it is paid.
    package let paymentMode: PaymentMode
    /// The unit of the offer's period.
    package let unit: PeriodUnit
    /// `numberOfPeriods` where it is paid as you go, that many billing periods; else `numberOfUnits`, that many units.
    package let count: Int

    /// Creates terms.
    ///
    /// - Parameters:
    ///   - price: What is paid.
    ///   - currency: The currency of the price.
    ///   - paymentMode: How it is paid.
    ///   - unit: The unit of the offer's period.
    ///   - count: How many periods, or how many units: one of ``counts``, which the reader of outside values checks.
    package init(
        price: Price,
        currency: CurrencyCode? = nil,
        paymentMode: PaymentMode,
        unit: PeriodUnit,
        count: Int
    ) {
        self.price = price
        self.currency = currency
        self.paymentMode = paymentMode
        self.unit = unit
        self.count = count
    }

    /// How long the offer lasts; `nil` when it is paid as you go, and the length of a billing period is not known.
    ///
    /// - Parameter period: The product's billing period; `nil` when the catalog does not say.
    /// - Returns: The whole time.
    package func duration(billedEvery period: SubscriptionPeriod?) -> SubscriptionPeriod? {
        guard paymentMode == .payAsYouGo else { return unit.period(count) }
        return switch period {
        case .days(let days): .days(days * count)
        case .months(let months): .months(months * count)
        case nil: nil
        }
    }
}

/// How an offer is paid (`SKProductDiscount.PaymentMode`); the raw values are StoreKit's.
package enum PaymentMode: Int, CaseIterable, Sendable {
    /// The offer's price is paid for each of several billing periods.
    case payAsYouGo = 0
    /// The offer's price is paid once for all of its time.
    case payUpFront = 1
    /// The customer pays nothing.
    case freeTrial = 2
}

/// The unit that an offer's time is counted in (`SKProduct.PeriodUnit`); the raw values are StoreKit's.
package enum PeriodUnit: Int, CaseIterable, Sendable {
    /// Days.
    case day = 0
    /// Weeks of seven days.
    case week = 1
    /// Calendar months.
    case month = 2
    /// Years of twelve months.
    case year = 3

    /// A period of that many units.
    ///
    /// - Parameter count: How many, at least 1.
    /// - Returns: The period.
    package func period(_ count: Int) -> SubscriptionPeriod {
        switch self {
        case .day: .days(count)
        case .week: .days(7 * count)
        case .month: .months(count)
        case .year: .months(12 * count)
        }
    }
}

/// Names one of a product's offers.
package enum OfferName: Hashable, Sendable {
    /// The introductory offer: a product has one in a country.
    case introductory
    /// A promotional offer, by its identifier.
    case promotional(String)

    /// The identifier of a promotional offer.
    package var offerId: String? {
        switch self {
        case .introductory: nil
        case .promotional(let id): id
        }
    }
}
