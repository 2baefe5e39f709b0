import Offers
import StrictJSON

/// The payloads that the App Store signs (`JWSTransactionDecodedPayload`, `JWSRenewalInfoDecodedPayload`).
struct Payloads: Sendable {
    let app: StoreApp
    let environment: AppStoreEnvironment
    let appTransactionId: String?
    let signedDate: Timestamp

    init(_ app: StoreApp, _ customer: StoreCustomer, signedDate: Timestamp) {
        self.app = app
        environment = customer.environment
        appTransactionId = customer.appTransactionId
        self.signedDate = signedDate
    }

    func transaction(_ transaction: StoreTransaction) -> [UInt8] { JSONWriter.text { write(transaction, into: &$0) } }

    func renewal(_ subscription: StoreSubscription) -> [UInt8] { JSONWriter.text { write(subscription, into: &$0) } }

    func write(_ transaction: StoreTransaction, into json: inout JSONWriter) {
        json.member("transactionId", transaction.transactionId)
        json.member("originalTransactionId", transaction.originalTransactionId)
        json.optional("previousOriginalTransactionId", transaction.holding.previousOriginalTransactionId)
        json.member("webOrderLineItemId", transaction.webOrderLineItemId)
        json.member("bundleId", app.bundleId)
        json.member("productId", transaction.productId)
        json.member("subscriptionGroupIdentifier", transaction.groupId)
        json.date("purchaseDate", transaction.purchaseDate)
        json.date("originalPurchaseDate", transaction.originalPurchaseDate)
        json.date("expiresDate", transaction.expiresDate)
        json.member("quantity", transaction.quantity)
        json.member("type", "Auto-Renewable Subscription")
        json.optional("appAccountToken", transaction.appAccountToken)
        json.member("inAppOwnershipType", transaction.ownership.rawValue)
        json.date("signedDate", signedDate)
        json.date("revocationDate", transaction.revocation?.date)
        json.optional("revocationReason", transaction.revocation?.reason)
        json.optional("revocationType", transaction.revocation?.type)
        json.optional("revocationPercentage", transaction.revocation?.percentage)
        if transaction.isUpgraded { json.flag("isUpgraded", true) }
        if let offer = transaction.offer { write(offer, into: &json) }
        json.member("environment", environment.rawValue)
        json.member("transactionReason", transaction.reason.rawValue)
        if transaction.isOfSeveral { json.member("additionalTransactionReason", "SEAT_ADDITION") }
        if let seats = transaction.holding.seats { write(seats, at: transaction.price, into: &json) }
        json.member("billingPlanType", transaction.plan.rawValue)
        if let commitment = transaction.commitment {
            json.object("commitmentInfo") { json in
                json.member("billingPeriodNumber", Int64(commitment.number))
                json.member("totalBillingPeriods", Int64(Commitment.billingPeriods))
                json.member("commitmentPrice", commitment.price)
                json.date("commitmentExpiresDate", commitment.expires)
            }
        }
        json.member("storefront", "USA")
        json.member("storefrontId", "143441")
        json.member("price", transaction.price)
        json.member("currency", app.currency)
        json.optional("appTransactionId", appTransactionId)
    }

    /// Writes a renewal info's members: neither bundle id nor group id, as in Apple's.
    func write(_ subscription: StoreSubscription, into json: inout JSONWriter) {
        let latest = subscription.latest
        json.optional("expirationIntent", subscription.expirationIntent)
        json.member("originalTransactionId", subscription.originalTransactionId)
        json.member("autoRenewProductId", subscription.nextProductId)
        json.member("productId", latest.productId)
        json.member("autoRenewStatus", subscription.renewsNextPeriod ? 1 : 0)
        if subscription.status != 1 { json.flag("isInBillingRetryPeriod", subscription.isInBillingRetryPeriod) }
        json.date("gracePeriodExpiresDate", subscription.gracePeriodExpires)
        if let offer = subscription.nextOffer { write(offer, into: &json) }
        json.date("signedDate", signedDate)
        json.member("environment", environment.rawValue)
        json.date("recentSubscriptionStartDate", subscription.recentStart)
        json.member("renewalBillingPlanType", subscription.nextPlan.rawValue)
        if subscription.renewsNextPeriod {
            json.date("renewalDate", latest.expiresDate)
            if let product = app.product(subscription.nextProductId) {
                let price = subscription.nextOffer?.price ?? product.price(subscription.nextPlan)
                json.member("renewalPrice", price)
                json.member("currency", app.currency)
                if let seats = subscription.nextHolding.seats {
                    json.member("renewalQuantity", seats.quantity)
                    json.object("multiSeatInfo") {
                        writeTier("renewalPriceTiers", seats.quantity, at: price, into: &$0)
                    }
                }
            }
        }
        if let commitment = latest.commitment { write(commitment, of: subscription, into: &json) }
        if subscription.status == 2, !subscription.eligibleWinBackOfferIds.isEmpty {
            json.list("eligibleWinBackOfferIds", subscription.eligibleWinBackOfferIds) { $1.string($0) }
        }
        json.optional("appAccountToken", latest.appAccountToken)
        json.optional("appTransactionId", appTransactionId)
    }

    /// Writes what follows a commitment (`commitmentInfo` of a renewal info), whether or not the customer cancelled it.
    private func write(_ commitment: Commitment, of subscription: StoreSubscription, into json: inout JSONWriter) {
        json.object("commitmentInfo") { json in
            json.member("commitmentAutoRenewStatus", subscription.willAutoRenew ? 1 : 0)
            json.member("commitmentAutoRenewProductId", subscription.autoRenewProductId)
            json.member("commitmentRenewalBillingPlanType", subscription.autoRenewPlan.rawValue)
            json.date("commitmentRenewalDate", commitment.expires)
            if let product = app.product(subscription.autoRenewProductId) {
                json.member("commitmentRenewalPrice", product.totalPrice(subscription.autoRenewPlan))
            }
        }
    }

    private func write(_ seats: Seats, at price: Int64, into json: inout JSONWriter) {
        json.object("multiSeatInfo") { json in
            json.member("invitationManagement", seats.invitationManagement.rawValue)
            writeTier("priceTiers", seats.quantity, at: price, into: &json)
            if seats.revoked > 0 { json.member("revokedSeatQuantity", seats.revoked) }
        }
    }

    /// Writes the one price that all seats have here (`MultiSeatPriceTier`).
    private func writeTier(_ name: StaticString, _ quantity: Int64, at price: Int64, into json: inout JSONWriter) {
        json.objects(name, [quantity]) { quantity, json in
            json.member("price", price)
            json.member("quantity", quantity)
        }
    }

    private func write(_ offer: StoreOffer, into json: inout JSONWriter) {
        json.member("offerType", offer.kind.rawValue)
        json.optional("offerIdentifier", offer.id)
        json.member("offerDiscountType", offer.mode.discountType)
        json.member("offerPeriod", offer.period.text)
    }
}
