import Offers

/// The values that a client sets on a payment: the part that StoreKit plays.
struct PurchaseRequest {
    let customer: String
    let productId: String
    /// The argument of StoreKit's purchase option `billingPlanType`; billed up front when it was not set.
    let billingPlanType: BillingPlanType
    /// `appAccountToken`, or `applicationUsername`.
    let account: Account
    /// The promotional offer, if there is one.
    let offer: OfferParameters?
    /// The argument of StoreKit 2's `introductoryOfferEligibility(compactJWS:)`, if it was set.
    let introductoryOfferEligibility: String?

    init(json: [UInt8]) throws(RequestFault) {
        let members = try RequestMembers(json: json)
        try members.allow([
            "customer", "productId", "billingPlanType", "appAccountToken", "applicationUsername", "discount", "offerId",
            "jws", "introductoryOfferEligibility",
        ])
        customer = try members.requiredString("customer")
        productId = try members.requiredString("productId")
        let plan = try members.string("billingPlanType") ?? BillingPlanType.billedUpfront.rawValue
        guard let plan = BillingPlanType(rawValue: plan) else {
            throw .member("billingPlanType", "BILLED_UPFRONT or MONTHLY is expected.")
        }
        billingPlanType = plan
        account = try Self.account(members)
        let discount = try members.object("discount")
        let jws = try members.string("jws")
        let offerId = try members.string("offerId")
        switch (discount, jws) {
        case (let discount?, nil):
            if offerId != nil { throw .member("offerId", "The discount names the offer; leave this out.") }
            offer = .discount(try DiscountParameters(discount))
        case (nil, let jws?): offer = .jws(offerId: offerId, jws)
        case (nil, nil):
            if offerId != nil { throw .member("offerId", "An offer takes a discount or a jws as well.") }
            offer = nil
        case (.some, .some): throw .member("jws", "Give a discount or a jws, not both.")
        }
        introductoryOfferEligibility = try members.string("introductoryOfferEligibility")
        if offer != nil, introductoryOfferEligibility != nil {
            throw .member("introductoryOfferEligibility", "A purchase is at one offer; leave the other out.")
        }
    }

    private static func account(_ members: RequestMembers) throws(RequestFault) -> Account {
        let token = try members.string("appAccountToken")
        let name = try members.string("applicationUsername")
        if token != nil, name != nil {
            throw .member("applicationUsername", "Give appAccountToken or applicationUsername, not both.")
        }
        if let token {
            // StoreKit takes a UUID, whatever its case.
            guard let token = AppAccountToken(token) else { throw .member("appAccountToken", "A UUID is expected.") }
            return .appAccountToken(token)
        }
        return name.map { .applicationUsername($0) } ?? .none
    }
}

/// How a client asks for a promotional offer.
enum OfferParameters {
    /// A purchase with an `SKPaymentDiscount`, or StoreKit 2's five-argument `promotionalOffer`.
    case discount(DiscountParameters)
    /// A purchase with StoreKit 2's `promotionalOffer(_:compactJWS:)`.
    case jws(offerId: String?, String)
}

/// The arguments of `SKPaymentDiscount(identifier:keyIdentifier:nonce:signature:timestamp:)`, as the client gave them.
struct DiscountParameters {
    let identifier: String?
    let keyIdentifier: String?
    let nonce: String?
    let signature: String?
    let timestamp: Int64?

    /// Reads the `discount` of a purchase; any member may be missing, which is for StoreKit to refuse.
    init(_ members: RequestMembers) throws(RequestFault) {
        try members.allow(["identifier", "keyIdentifier", "nonce", "signature", "timestamp"])
        identifier = try members.string("identifier")
        keyIdentifier = try members.string("keyIdentifier")
        nonce = try members.string("nonce")
        signature = try members.string("signature")
        timestamp = try members.integer("timestamp")
    }
}
