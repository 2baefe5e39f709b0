import Offers

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
    }

    /// What happened.
    let kind: Kind
    /// What more is to be said of it.
    let subtype: Subtype?
    /// When it happened.
    let date: Timestamp
    /// The subscription right after it; a test notification has none.
    let subscription: StoreSubscription?
    /// The transaction that it is about: the newest, but for the refund of an older one.
    let transaction: StoreTransaction?

    /// Creates an event.
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
        self.transaction = transaction ?? subscription?.latest
    }
}
