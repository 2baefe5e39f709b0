/// A subscription offer as it is set up in App Store Connect.
struct StoreOffer: Equatable, Sendable {
    /// What kind of offer it is, by `offerType` of Apple's payloads.
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

    /// What kind of offer it is.
    let kind: Kind
    /// The offer's identifier; an introductory offer has none.
    let id: String?
    /// The billing plan that it is for.
    let plan: BillingPlanType
    /// How it is paid.
    let mode: PaymentMode
    /// What one payment costs, in thousandths of the currency's unit.
    let price: Int64
    /// How long one payment lasts.
    let period: SubscriptionPeriod
    /// How many payments there are; more than one for pay as you go alone.
    let periods: Int
    /// Whether StoreKit refuses it with `invalidOfferPrice`: the price in App Store Connect has changed.
    let isPriceInvalid: Bool
}
