/// What StoreKit shows a client of one product in one country.
public struct ProductReport: Encodable, Equatable, Sendable {
    /// The product.
    public var productId: String
    /// Its price, a decimal such as `9.99`.
    public var price: String
    /// The country by ISO 3166-1, such as `DE` or `DEU`.
    public var countryCode: String
    /// The currency by ISO 4217, such as `EUR`.
    public var currencyCode: String
    /// The currency's sign as StoreKit shows it.
    public var symbol: String?
    /// The offers on the product.
    public var offers: [ReportedOffer]

    /// Creates a report.
    public init(
        productId: String,
        price: String,
        countryCode: String,
        currencyCode: String,
        symbol: String? = nil,
        offers: [ReportedOffer] = []
    ) {
        self.productId = productId
        self.price = price
        self.countryCode = countryCode
        self.currencyCode = currencyCode
        self.symbol = symbol
        self.offers = offers
    }

    private enum CodingKeys: String, CodingKey {
        case productId = "product_id"
        case price
        case countryCode = "country_code"
        case currencyCode = "currency_code"
        case symbol
        case offers = "promotion"
    }
}

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

/// What became of product reports.
public struct ProductReportAnswer: Codable, Equatable, Sendable {
    /// A report that was not taken.
    public struct Rejection: Codable, Equatable, Sendable {
        /// Its place among the reports, from 0.
        public let index: Int
        /// The fault's name.
        public let code: String
        /// The fault in a sentence, after a JSON Pointer into the report where one member is at fault.
        public let detail: String
    }

    /// How many were taken.
    public let accepted: Int
    /// The offers that were not taken, each with the reason.
    public let rejected: [Rejection]
}
