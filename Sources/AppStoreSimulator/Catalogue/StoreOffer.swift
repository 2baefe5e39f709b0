/// A subscription offer, introductory or promotional, as it is set up in App Store Connect.
struct StoreOffer: Equatable, Sendable {
    /// How it is paid, by StoreKit's names.
    enum PaymentMode: String, CaseIterable, Sendable {
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

    /// The offer's identifier; an introductory offer has none.
    let id: String?
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

    /// `offerType` of Apple's payloads: 1 introductory, 2 promotional.
    var type: Int64 { id == nil ? 1 : 2 }
}
