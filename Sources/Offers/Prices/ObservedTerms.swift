/// The price and duration of an offer, as StoreKit shows them in one country.
package struct ObservedTerms: Equatable, Sendable {
    /// The periods or units that an offer may last: far more than the App Store lets one, and few enough to reckon
    /// with.
    package static let counts: ClosedRange<Int64> = 1...1000

    /// For each period, for all of it, or nothing, as ``paymentMode`` says.
    package let price: Price
    /// That of the product, when the offer was seen; `nil` where it was not noted.
    package internal(set) var currency: CurrencyCode?
    package let paymentMode: PaymentMode
    package let unit: PeriodUnit
    /// `numberOfPeriods` where it is paid as you go, that many billing periods; else `numberOfUnits`, that many units.
    package let count: Int

    /// The reader of outside values checks that the count is one of ``counts``.
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

    /// The whole time; `nil` when the offer is paid as you go, and the product's billing period is not known.
    package func duration(billedEvery period: SubscriptionPeriod?) -> SubscriptionPeriod? {
        guard paymentMode == .payAsYouGo else { return unit.period(count) }
        return switch period {
        case .days(let days): .days(days * count)
        case .months(let months): .months(months * count)
        case nil: nil
        }
    }
}

/// The raw values are StoreKit's (`SKProductDiscount.PaymentMode`).
package enum PaymentMode: Int, CaseIterable, Sendable {
    /// The price is paid for each of several billing periods.
    case payAsYouGo = 0
    /// The price is paid once for all of the offer's time.
    case payUpFront = 1
    case freeTrial = 2
}

/// The raw values are StoreKit's (`SKProduct.PeriodUnit`).
package enum PeriodUnit: Int, CaseIterable, Sendable {
    case day = 0
    case week = 1
    case month = 2
    case year = 3

    /// Takes a count of at least 1.
    package func period(_ count: Int) -> SubscriptionPeriod {
        switch self {
        case .day: .days(count)
        case .week: .days(7 * count)
        case .month: .months(count)
        case .year: .months(12 * count)
        }
    }
}

package enum OfferName: Hashable, Sendable {
    /// A product has one in a country.
    case introductory
    /// By its identifier.
    case promotional(String)

    /// `nil` for the introductory offer.
    package var offerId: String? {
        switch self {
        case .introductory: nil
        case .promotional(let id): id
        }
    }
}
