/// How a subscription is billed (`billingPlanType` of Apple's payloads).
enum BillingPlanType: String, Decodable, Sendable {
    /// The whole period at once.
    case billedUpfront = "BILLED_UPFRONT"
    /// A year in twelve monthly payments, to which the customer commits.
    case monthly = "MONTHLY"
}

/// An auto-renewable subscription as it is set up in App Store Connect.
struct StoreProduct: Equatable, Sendable {
    /// The product's identifier.
    let id: String
    /// The subscription group's identifier.
    let groupId: String
    /// The level in the group; 1 is the highest.
    let level: Int
    /// What a period costs, in thousandths of the currency's unit.
    let price: Int64
    /// How long a payment lasts.
    let period: SubscriptionPeriod
    /// What a month costs with a 12-month commitment; `nil` where the product is billed up front alone.
    let monthlyPrice: Int64?
    /// The introductory offer.
    let introductoryOffer: StoreOffer?
    /// The promotional offers.
    let offers: [StoreOffer]
    /// The retention offers, which customers redeem on the cancellation page.
    let retentionOffers: [StoreOffer]

    /// The promotional offer with an identifier.
    func offer(_ id: String) -> StoreOffer? { offers.first { $0.id == id } }

    /// The retention offer with an identifier.
    func retentionOffer(_ id: String) -> StoreOffer? { retentionOffers.first { $0.id == id } }

    /// Whether the product can be bought with a billing plan.
    func has(_ plan: BillingPlanType) -> Bool { plan == .billedUpfront || monthlyPrice != nil }

    /// What a payment costs, without an offer.
    func price(_ plan: BillingPlanType) -> Int64 { plan == .monthly ? monthlyPrice ?? price : price }

    /// How long a payment lasts, without an offer.
    func period(_ plan: BillingPlanType) -> SubscriptionPeriod { plan == .monthly ? .month : period }

    /// What a commitment, or a period that is billed up front, costs as a whole.
    func totalPrice(_ plan: BillingPlanType) -> Int64 {
        plan == .monthly ? price(plan) * Int64(Commitment.billingPeriods) : price
    }
}
