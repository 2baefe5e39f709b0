/// A promotional offer of a product, with the developer's own rules for who may have it.
///
/// The offer itself (price, duration, payment mode) is set up in App Store Connect; only its identifier matters here.
public final class PromotionalOffer: Sendable {
    /// The offer's identifier in App Store Connect (`SKPaymentDiscount.identifier`).
    public let id: String
    /// The customers that the offer is for; every state of ``SubscriberState/audience`` when the catalog names none.
    public let audience: Set<SubscriberState>
    /// The first moment at which it is signed; `nil` when there is none.
    public let startsAt: Timestamp?
    /// The moment from which it is no longer signed; `nil` when it has no end.
    public let endsAt: Timestamp?
    /// How many times one customer may redeem it; `nil` when there is no cap.
    public let maxRedemptions: Int?
    /// How often one customer may get it signed; `nil` when there is no limit.
    public let signatureLimit: SignatureLimit?
    /// The scope in which the customer must be a subscriber, or have been one.
    public let scope: OfferScope
    /// The products one of which the customer must have, or have had last; `nil` for any product.
    public let fromProducts: Set<String>?
    /// How many days of 24 hours a lapsed customer has to have been away at least; `nil` when there is no minimum.
    public let minimumLapsedDays: Int?
    /// How many days of 24 hours a lapsed customer may have been away at most; `nil` when there is no maximum.
    public let maximumLapsedDays: Int?
    /// Whether a customer whose newest purchase was refunded is refused, or counts as lapsed since the refund.
    public let afterRefund: OfferTreatment
    /// Whether a customer who has only shared purchases is refused, or these count as the customer's own.
    public let familyShared: OfferTreatment
    /// Whether a customer whose seat somebody else pays for is refused, or the seat counts as the customer's own.
    package let assigned: OfferTreatment
    /// The audience in words, to follow "the offer is for"; made once, not for each decision.
    let audiencePhrase: String

    /// Creates an offer; each default stands for a key that the catalog leaves out.
    ///
    /// - Parameters:
    ///   - id: The offer's identifier in App Store Connect.
    ///   - audience: The customers that it is for.
    ///   - startsAt: The first moment at which it is signed.
    ///   - endsAt: The moment from which it is no longer signed.
    ///   - maxRedemptions: How many times one customer may redeem it.
    ///   - signatureLimit: How often one customer may get it signed.
    ///   - scope: Where the customer has to be a subscriber, or have been one.
    ///   - fromProducts: The products of which the customer has to hold one, or have held one last.
    ///   - minimumLapsedDays: How many days a lapsed customer has to have been away at least.
    ///   - maximumLapsedDays: How many days a lapsed customer may have been away at most.
    ///   - afterRefund: What becomes of a customer whose newest purchase was refunded.
    ///   - familyShared: What becomes of a customer who has only shared purchases.
    ///   - assigned: What becomes of a customer whose seat somebody else pays for.
    public init(
        id: String,
        audience: Set<SubscriberState> = Set(SubscriberState.audience),
        startsAt: Timestamp? = nil,
        endsAt: Timestamp? = nil,
        maxRedemptions: Int? = nil,
        signatureLimit: SignatureLimit? = nil,
        scope: OfferScope = .group,
        fromProducts: Set<String>? = nil,
        minimumLapsedDays: Int? = nil,
        maximumLapsedDays: Int? = nil,
        afterRefund: OfferTreatment = .refuse,
        familyShared: OfferTreatment = .refuse,
        assigned: OfferTreatment = .refuse
    ) {
        self.id = id
        self.audience = audience
        audiencePhrase = Self.phrase(of: audience)
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.maxRedemptions = maxRedemptions
        self.signatureLimit = signatureLimit
        self.scope = scope
        self.fromProducts = fromProducts
        self.minimumLapsedDays = minimumLapsedDays
        self.maximumLapsedDays = maximumLapsedDays
        self.afterRefund = afterRefund
        self.familyShared = familyShared
        self.assigned = assigned
    }
}

extension PromotionalOffer: Equatable {
    /// Whether two offers are equal in all values.
    public static func == (left: PromotionalOffer, right: PromotionalOffer) -> Bool {
        left.id == right.id && left.audience == right.audience
            && left.startsAt == right.startsAt && left.endsAt == right.endsAt
            && left.maxRedemptions == right.maxRedemptions && left.signatureLimit == right.signatureLimit
            && left.scope == right.scope && left.fromProducts == right.fromProducts
            && left.minimumLapsedDays == right.minimumLapsedDays && left.maximumLapsedDays == right.maximumLapsedDays
            && left.afterRefund == right.afterRefund && left.familyShared == right.familyShared
            && left.assigned == right.assigned
    }
}

/// The scope in which a customer must be a subscriber, or have been one, for an offer; the raw values are those of
/// `scope` in `catalog.yaml`.
public enum OfferScope: String, CaseIterable, Sendable {
    /// The product's subscription group.
    case group
    /// Any group of the app: Apple's own rule ("Implementing promotional offers in your app").
    ///
    /// The state that the offer's audience is about is then the strongest of all groups.
    case app
}

/// Whether an offer is for a kind of customer that it refuses by default; the raw values are those of `afterRefund`,
/// `familyShared` and `assigned` in `catalog.yaml`.
public enum OfferTreatment: String, CaseIterable, Sendable {
    /// They do not get the offer.
    case refuse
    /// They are judged by the offer's other rules.
    case allow
}

/// How often one customer may get an offer signed.
public struct SignatureLimit: Equatable, Sendable {
    /// The most signatures for one customer within the period.
    public let maximumSignaturesPerCustomer: Int
    /// The period, in days of 24 hours.
    public let periodDays: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - maximumSignaturesPerCustomer: The most signatures for one customer within the period.
    ///   - periodDays: The period, in days of 24 hours.
    public init(maximumSignaturesPerCustomer: Int, periodDays: Int = 30) {
        self.maximumSignaturesPerCustomer = maximumSignaturesPerCustomer
        self.periodDays = periodDays
    }

    /// The beginning of the period in which signatures count.
    ///
    /// - Parameter now: The server's clock.
    /// - Returns: The moment after which they count.
    public func start(at now: Timestamp) -> Timestamp { now.adding(days: -periodDays) }
}

/// The state of a customer in a subscription group, strongest first.
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
    /// The customer has a seat that an organisation or a group pays for, and bought nothing.
    case assigned
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
        case .assigned: 6
        case .familyShared: 7
        }
    }
}
