import Offers

/// A customer of one app in one environment.
struct StoreCustomer: Sendable {
    /// The name that the simulator's own routes know the customer by.
    let name: String
    let bundleId: String
    let environment: AppStoreEnvironment
    /// The identifier of the customer's download of the app, which stands in for a transaction's in some calls.
    let appTransactionId: String
    /// The subscriptions; a group has several where the customer moved to another original transaction.
    var subscriptions: [StoreSubscription]

    /// All transactions, newest first.
    var transactions: [StoreTransaction] {
        subscriptions.flatMap(\.transactions).sorted { $0.purchaseDate > $1.purchaseDate }
    }

    /// Whether the customer has, or had, a subscription that nobody else paid for: Apple's rule for promotional offers
    /// is a current or expired subscriber of the app.
    var hasEverSubscribed: Bool { transactions.contains { $0.ownership == .purchased } }

    func hasUsedIntroductoryOffer(in groupId: String) -> Bool {
        transactions.contains {
            $0.groupId == groupId && $0.offer?.kind == .introductory && $0.ownership == .purchased
        }
    }

    /// The place of the subscription that a purchase in a group goes on with: one that runs before one that has ended,
    /// of several the newest; `nil` where the customer paid for none.
    func ownSubscription(in groupId: String) -> Int? {
        func rank(_ place: Int) -> (Int, Timestamp) {
            let subscription = subscriptions[place]
            return (subscription.hasEnded ? 0 : 1, subscription.latest.purchaseDate)
        }
        let own = subscriptions.indices.filter {
            subscriptions[$0].latest.groupId == groupId && subscriptions[$0].latest.ownership == .purchased
        }
        return own.max { rank($0) < rank($1) }
    }

    func isKnown(by id: String) -> Bool { id == appTransactionId || transaction(id) != nil }

    func transaction(_ id: String) -> StoreTransaction? { subscriptions.lazy.compactMap { $0.transaction(id) }.first }
}

/// Something that happened to a subscription, of which the App Store notifies the app's server.
struct StoreEvent: Equatable, Sendable {
    /// `notificationType` of App Store Server Notifications V2.
    enum Kind: String, Sendable {
        case subscribed = "SUBSCRIBED"
        case didRenew = "DID_RENEW"
        case didFailToRenew = "DID_FAIL_TO_RENEW"
        case gracePeriodExpired = "GRACE_PERIOD_EXPIRED"
        case expired = "EXPIRED"
        case refund = "REFUND"
        case revoke = "REVOKE"
        case offerRedeemed = "OFFER_REDEEMED"
        case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
        case didChangeRenewalPreference = "DID_CHANGE_RENEWAL_PREF"
        case test = "TEST"
    }

    /// `subtype` of App Store Server Notifications V2.
    enum Subtype: String, Sendable {
        case initialBuy = "INITIAL_BUY"
        case resubscribe = "RESUBSCRIBE"
        case upgrade = "UPGRADE"
        case downgrade = "DOWNGRADE"
        case billingRecovery = "BILLING_RECOVERY"
        case gracePeriod = "GRACE_PERIOD"
        case voluntary = "VOLUNTARY"
        case billingRetry = "BILLING_RETRY"
        case autoRenewEnabled = "AUTO_RENEW_ENABLED"
        case autoRenewDisabled = "AUTO_RENEW_DISABLED"
        case seats = "SEATS"
        case increaseQuantity = "INCREASE_QUANTITY"
    }

    let kind: Kind
    let subtype: Subtype?
    let date: Timestamp
    /// The subscription right after it; a test notification has none.
    let subscription: StoreSubscription?
    /// The transaction that it is about: the latest payment, but for one that says of another.
    let transaction: StoreTransaction?

    init(
        _ kind: Kind,
        _ subtype: Subtype? = nil,
        at date: Timestamp,
        _ subscription: StoreSubscription?,
        about transaction: StoreTransaction? = nil
    ) {
        self.kind = kind
        self.subtype = subtype
        self.date = date
        self.subscription = subscription
        self.transaction = transaction ?? subscription?.shown
    }
}
