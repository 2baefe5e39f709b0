import Crypto
import Foundation
import Offers

/// An app as the App Store knows it; it has the public keys of the app's signing keys, and never a private one.
struct StoreApp: Sendable {
    let bundleId: String
    let appAppleId: Int64
    /// The shared secret that verifyReceipt asks for; `nil` asks for none.
    var sharedSecret: String?
    /// The issuer id that tokens must name; `nil` takes any.
    var issuerId: String?
    /// How long the billing grace period is, in days; 0 for none.
    var gracePeriodDays = 16
    /// How long before a period begins its renewal is charged, signed and notified of, in hours.
    var renewsAheadHours = 0
    /// ISO 4217 code of the prices.
    var currency = "USD"
    let products: [StoreProduct]
    /// By key id.
    var keys: [String: P256.Signing.PublicKey] = [:]
    var notificationURL: URL?
    /// The set-up for customers who are about to cancel.
    var retention = RetentionMessaging()

    func product(_ id: String) -> StoreProduct? { products.first { $0.id == id } }

    /// The address that notifications go to, of http or https, with a port that exists: the HTTP client ends the
    /// process over one that is too large, and takes the scheme's for one that no Int holds.
    static func notificationURL(_ text: String) -> URL? {
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()),
            parts.host?.isEmpty == false, parts.rangeOfPort == nil || (1...65_535).contains(parts.port ?? 0)
        else {
            return nil
        }
        return parts.url
    }
}

/// `billingPlanType` of Apple's payloads.
enum BillingPlanType: String, Decodable, Sendable {
    case billedUpfront = "BILLED_UPFRONT"
    /// A year in twelve monthly payments, to which the customer commits.
    case monthly = "MONTHLY"
}

/// An auto-renewable subscription as it is set up in App Store Connect.
struct StoreProduct: Equatable, Sendable {
    let id: String
    let groupId: String
    /// The level in the group; 1 is the highest.
    let level: Int
    /// The price of a period, in thousandths of the currency's unit.
    let price: Int64
    /// How long a payment lasts.
    let period: SubscriptionPeriod
    /// The price of a month with a 12-month commitment; `nil` for a product that is only billed up front.
    var monthlyPrice: Int64?
    /// The introductory offer.
    var introductoryOffer: StoreOffer?
    var offers: [StoreOffer] = []
    /// The retention offers, which customers redeem on the cancellation page.
    var retentionOffers: [StoreOffer] = []

    func offer(_ id: String) -> StoreOffer? { offers.first { $0.id == id } }

    func retentionOffer(_ id: String) -> StoreOffer? { retentionOffers.first { $0.id == id } }

    func has(_ plan: BillingPlanType) -> Bool { plan == .billedUpfront || monthlyPrice != nil }

    /// The price of a payment without an offer.
    func price(_ plan: BillingPlanType) -> Int64 { plan == .monthly ? monthlyPrice ?? price : price }

    /// How long a payment lasts, without an offer.
    func period(_ plan: BillingPlanType) -> SubscriptionPeriod { plan == .monthly ? .month : period }

    /// The whole price of a commitment, or of a period that is billed up front.
    func totalPrice(_ plan: BillingPlanType) -> Int64 {
        plan == .monthly ? price(plan) * Int64(Commitment.billingPeriods) : price
    }
}

/// A subscription offer as it is set up in App Store Connect.
struct StoreOffer: Equatable, Sendable {
    /// `offerType` of Apple's payloads.
    enum Kind: Int64, Sendable {
        case introductory = 1
        case promotional = 2
        /// Redeemed on the cancellation page, without a signature.
        case retention = 5
    }

    /// How it is paid, by StoreKit's names.
    enum PaymentMode: String, Decodable, Sendable {
        case payAsYouGo
        case payUpFront
        case freeTrial

        /// `offerDiscountType` of Apple's payloads.
        var discountType: String {
            switch self {
            case .payAsYouGo: "PAY_AS_YOU_GO"
            case .payUpFront: "PAY_UP_FRONT"
            case .freeTrial: "FREE_TRIAL"
            }
        }
    }

    let kind: Kind
    /// The offer's identifier; an introductory offer has none.
    let id: String?
    let plan: BillingPlanType
    let mode: PaymentMode
    /// What one payment costs, in thousandths of the currency's unit.
    let price: Int64
    let period: SubscriptionPeriod
    /// How many payments there are; more than one for pay as you go alone.
    let periods: Int
    /// Whether StoreKit refuses it with `invalidOfferPrice`: the price in App Store Connect has changed.
    let isPriceInvalid: Bool
}

/// A duration as StoreKit names them (`Product.SubscriptionPeriod`), such as a month.
struct SubscriptionPeriod: Hashable, Sendable {
    /// The units, named as ISO 8601 does.
    private enum Unit: Character {
        case day = "D"
        case week = "W"
        case month = "M"
        case year = "Y"

        var component: Calendar.Component {
            switch self {
            case .day: .day
            case .week: .weekOfYear
            case .month: .month
            case .year: .year
            }
        }
    }

    /// A month: how long a payment of a commitment lasts.
    static let month = SubscriptionPeriod(count: 1, unit: .month)

    /// ISO 8601, such as `P1M`: how Apple's payloads write it.
    let text: String
    private let count: Int
    private let unit: Unit

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// Reads an ISO 8601 duration of one unit: `P`, a number from 1 to 366 and one of `D`, `W`, `M` and `Y`.
    init?(_ text: String) {
        guard text.first == "P", let last = text.last, let unit = Unit(rawValue: last),
            let count = Int(text.dropFirst().dropLast()), (1...366).contains(count)
        else { return nil }
        self.init(count: count, unit: unit)
    }

    private init(count: Int, unit: Unit) {
        text = "P\(count)\(unit.rawValue)"
        self.count = count
        self.unit = unit
    }

    /// The moment that many periods after another, negative ones before it, in the Gregorian calendar and UTC.
    func after(_ start: Timestamp, times: Int = 1) -> Timestamp {
        let date = Self.calendar.date(byAdding: unit.component, value: count * times, to: start.date)
        return Timestamp(date ?? start.date)
    }
}

extension SubscriptionPeriod: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let period = SubscriptionPeriod(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "No duration such as P1M.")
        }
        self = period
    }
}
