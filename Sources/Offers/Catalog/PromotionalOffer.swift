/// A promotional offer of a product, with the developer's own rules for who may have it.
///
/// The offer itself (price, duration, payment mode) is set up in App Store Connect; only its identifier matters here.
package final class PromotionalOffer: Sendable {
    /// `SKPaymentDiscount.identifier`, as in App Store Connect.
    package let id: String
    package let terms: Terms
    /// To follow "the offer is for"; made once, not for each decision.
    let audiencePhrase: String

    /// Changes the default terms.
    package init(id: String, _ change: (inout Terms) -> Void = { _ in }) {
        var terms = Terms()
        change(&terms)
        self.id = id
        self.terms = terms
        audiencePhrase = Self.phrase(of: terms.audience)
    }

    /// Each default stands for a key that the catalog leaves out; ``OfferKey`` says how each is read, shown and
    /// explained.
    package struct Terms: Equatable, Sendable {
        package var audience = Set(SubscriberState.audience)
        package var startsAt: Timestamp?
        /// The moment from which it is no longer signed.
        package var endsAt: Timestamp?
        package var maxRedemptions: Int?
        package var maximumSignaturesPerCustomer: Int?
        package var signaturePeriodDays = 30
        package var scope = OfferScope.group
        package var fromProducts: Set<String>?
        /// In days of 24 hours, as ``maximumLapsedDays``.
        package var minimumLapsedDays: Int?
        package var maximumLapsedDays: Int?
        package var afterRefund = OfferTreatment.refuse
        package var familyShared = OfferTreatment.refuse
        package var assigned = OfferTreatment.refuse
        package var duringTrial = OfferTreatment.allow
        package var bundled = OfferTreatment.refuse
        package var lapsedBecause: Set<LapseReason>?
        /// The App Store's countries, as Apple writes them (ISO 3166-1 alpha-3).
        package var storefronts: Set<String>?
        /// In days of 24 hours.
        package var minimumTenureDays: Int?
        package var duringPriceIncrease = OfferTreatment.allow
        package var holdout: Holdout?

        package init() {}

        /// `nil` for no limit.
        package var signatureLimit: SignatureLimit? {
            maximumSignaturesPerCustomer.map {
                SignatureLimit(maximumSignaturesPerCustomer: $0, periodDays: signaturePeriodDays)
            }
        }
    }
}

extension PromotionalOffer: Equatable {
    package static func == (left: PromotionalOffer, right: PromotionalOffer) -> Bool {
        left.id == right.id && left.terms == right.terms
    }
}

/// The part of the app in which a customer must be, or have been, a subscriber: `scope` in `catalog.yaml`.
package enum OfferScope: String, CaseIterable, Sendable {
    case group
    /// Any group of the app: Apple's own rule ("Implementing promotional offers in your app").
    ///
    /// The audience is then about the strongest state of all groups.
    case app
}

/// Whether an offer is for a kind of customer; the raw values are those of `catalog.yaml`.
package enum OfferTreatment: String, CaseIterable, Sendable {
    case refuse
    /// The offer's other rules decide.
    case allow
}

/// How often one customer may get an offer signed.
package struct SignatureLimit: Equatable, Sendable {
    package let maximumSignaturesPerCustomer: Int
    /// In days of 24 hours.
    package let periodDays: Int

    package init(maximumSignaturesPerCustomer: Int, periodDays: Int = 30) {
        self.maximumSignaturesPerCustomer = maximumSignaturesPerCustomer
        self.periodDays = periodDays
    }

    /// The moment after which signatures count.
    package func start(at now: Timestamp) -> Timestamp { now.adding(days: -periodDays) }
}

/// The state of a customer in a subscription group, strongest first.
///
/// The raw values of the first five are the names that a catalog's `audience` uses.
package enum SubscriberState: String, CaseIterable, Sendable {
    /// Subscribed, and the subscription renews.
    case active
    /// Subscribed until the paid time ends; auto-renew is off.
    case activeAutoRenewOff
    /// A renewal failed, and the customer keeps access while Apple retries (Billing Grace Period).
    case gracePeriod
    /// A renewal failed, and Apple retries without access for the customer.
    case billingRetry
    case lapsed
    /// The newest purchase was refunded or revoked.
    case refunded
    /// The customer has a seat that an organisation or a group pays for, and bought nothing.
    case assigned
    /// The customer has access by Family Sharing only, and bought nothing.
    case familyShared

    /// The states that an offer's audience can name, in the order of the catalog's documentation.
    package static let audience: [SubscriberState] = [
        .active, .activeAutoRenewOff, .gracePeriod, .billingRetry, .lapsed,
    ]
}

extension SubscriberState: Comparable {
    /// Of several subscriptions of a group the one with the strongest state counts.
    package static func < (left: SubscriberState, right: SubscriberState) -> Bool {
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
