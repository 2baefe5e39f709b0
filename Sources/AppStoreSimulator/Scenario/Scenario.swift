import Foundation

/// `app-store.yaml` as it is written: what is left out has a default, and a key with another name is ignored.
struct Scenario: Decodable {
    var clock: Date?
    var apps: [App]
    var customers: [Customer]?

    struct App: Decodable {
        var bundleId: String
        var appAppleId: Int64?
        var sharedSecret: String?
        var issuerId: String?
        var keys: [Key]?
        var gracePeriodDays: Int?
        var currency: String?
        var notificationURL: String?
        var subscriptionGroups: [Group]
    }

    struct Key: Decodable {
        var id: String
        var publicKey: String?
        var publicKeyFile: String?
    }

    struct Group: Decodable {
        var id: String
        var products: [Product]
    }

    struct Product: Decodable {
        var id: String
        var level: Int?
        var price: Decimal?
        var period: SubscriptionPeriod?
        var monthlyPrice: Decimal?
        var introductoryOffer: Offer?
        var offers: [Offer]?
        var retentionOffers: [Offer]?
    }

    struct Offer: Decodable {
        var id: String?
        var billingPlanType: BillingPlanType?
        var mode: StoreOffer.PaymentMode?
        var price: Decimal?
        var period: SubscriptionPeriod?
        var periods: Int?
        var priceNoLongerValid: Bool?
    }

    struct Customer: Decodable {
        var name: String
        var count: Int?
        var bundleId: String?
        var environment: String?
        var appAccountToken: String?
        var subscriptions: [Subscription]?
    }

    struct Subscription: Decodable {
        var product: String
        var billingPlanType: BillingPlanType?
        var state: CustomerState
        var periods: Int?
        var introductory: Bool?
        var redeemed: [String]?
        var retentionOffer: String?
        var revocationPercentage: Int64?
        var eligibleWinBackOfferIds: [String]?
        var upgradedTo: String?
        var expiresAt: Date?
    }
}
