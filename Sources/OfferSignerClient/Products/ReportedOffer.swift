/// An offer as StoreKit shows it, with the numbers of StoreKit's enumerations.
public struct ReportedOffer: Encodable, Equatable, Sendable {
    /// The unit of a period (`SKProduct.PeriodUnit`).
    public enum PeriodUnit: Int, Encodable, Sendable {
        /// Days.
        case day
        /// Weeks.
        case week
        /// Months.
        case month
        /// Years.
        case year
    }

    /// How the offer is paid (`SKProductDiscount.PaymentMode`).
    public enum PaymentMode: Int, Encodable, Sendable {
        /// The price again for each period.
        case payAsYouGo
        /// The price once.
        case payUpFront
        /// Nothing.
        case freeTrial
    }

    private enum Kind: Int, Encodable {
        case introductory, promotional
    }

    /// The promotional offer; `nil` for the introductory one.
    public let offerId: String?
    /// The price, a decimal such as `4.99`; `0` for a free trial.
    public let price: String
    /// How it is paid.
    public let paymentMode: PaymentMode
    /// The unit of a period.
    public let unit: PeriodUnit
    /// How many periods.
    public let numberOfPeriods: Int
    private let kind: Kind

    /// Describes an offer.
    ///
    /// - Parameters:
    ///   - offerId: The promotional offer; `nil` for the introductory one.
    ///   - price: The price, a decimal such as `4.99`.
    ///   - paymentMode: How it is paid.
    ///   - unit: The unit of a period.
    ///   - numberOfPeriods: How many periods.
    public init(offerId: String?, price: String, paymentMode: PaymentMode, unit: PeriodUnit, numberOfPeriods: Int) {
        self.offerId = offerId
        self.price = price
        self.paymentMode = paymentMode
        self.unit = unit
        self.numberOfPeriods = numberOfPeriods
        self.kind = offerId == nil ? .introductory : .promotional
    }

    private enum CodingKeys: String, CodingKey {
        case offerId = "promotion_code"
        case price = "promotion_price"
        case paymentMode = "promotion_type"
        case unit = "promotion_period"
        case numberOfPeriods = "promotion_time"
        case kind = "discount_type"
    }
}
