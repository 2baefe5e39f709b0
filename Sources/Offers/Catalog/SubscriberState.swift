/// What a customer is in a subscription group, strongest first.
///
/// The raw values of the first five are the names that a catalog's `audience` uses.
public enum SubscriberState: String, CaseIterable, Sendable {
    /// Subscribed, and the subscription renews.
    case active
    /// Subscribed until the paid time ends; auto-renew is off.
    case activeAutoRenewOff
    /// A renewal failed, and the customer keeps access while Apple retries (Billing Grace Period).
    case gracePeriod
    /// A renewal failed, and Apple retries without access for the customer.
    case billingRetry
    /// Expired.
    case lapsed
    /// The newest purchase was refunded or revoked.
    case refunded
    /// The customer has access by Family Sharing only, and bought nothing.
    case familyShared

    /// The states that an offer's audience can name, in the order of the catalog's documentation.
    public static let audience: [SubscriberState] = [
        .active, .activeAutoRenewOff, .gracePeriod, .billingRetry, .lapsed,
    ]
}

extension SubscriberState: Comparable {
    /// Whether the left state is the weaker one: when several subscriptions of a group differ, the strongest counts.
    public static func < (left: SubscriberState, right: SubscriberState) -> Bool {
        left.weakness > right.weakness
    }

    private var weakness: Int {
        switch self {
        case .active: 0
        case .activeAutoRenewOff: 1
        case .gracePeriod: 2
        case .billingRetry: 3
        case .lapsed: 4
        case .refunded: 5
        case .familyShared: 6
        }
    }
}
