/// The decision about one offer, with its reason.
package struct Decision: Equatable, Sendable {
    package let reason: Reason
    /// For people, in a sentence or two: the facts, and the offer's demand.
    package let detail: String
    /// Every rule that was checked, in order, up to the one that refused; `nil` unless an explanation was asked for.
    package let explanation: [RuleFinding]?
    /// `nil` when the customer may not have the offer, or its start is not known.
    package let begins: OfferStart?
    /// Whether the offer would end another that is running.
    package let replacesActiveOffer: Bool
    /// The customer as drawn, where the offer has a holdout and no other rule refuses.
    package internal(set) var drawn: DrawnCustomer?
    /// `nil` where nothing is known of the customer, or the offer is not in the catalog.
    package internal(set) var basis: DecisionBasis?

    package var verdict: Verdict { reason.verdict }
    /// Whether the customer may have the offer, or may but for the draw of a ``Holdout``.
    package var isEligibleBeforeDraw: Bool { verdict == .eligible || reason == .heldOut }

    package init(
        _ reason: Reason,
        detail: String,
        explanation: [RuleFinding]? = nil,
        begins: OfferStart? = nil,
        replacesActiveOffer: Bool = false
    ) {
        self.reason = reason
        self.detail = detail
        self.explanation = explanation
        self.begins = begins
        self.replacesActiveOffer = replacesActiveOffer
    }
}

/// The knowledge of a customer that a decision rests on.
package struct DecisionBasis: Equatable, Sendable {
    /// Whether it is what the service remembers, not the evidence of the request.
    package let isHeld: Bool
    /// The date by which its age is judged; `nil` where it has none.
    package let asOf: Timestamp?
    /// The subscription that counts; `nil` where none does.
    package let originalTransactionId: String?

    /// Its source, in a word.
    package func source(isAppStores: Bool) -> String { isHeld ? "held" : isAppStores ? "appStore" : "evidence" }
}

extension GroupReading {
    var basis: DecisionBasis {
        DecisionBasis(isHeld: isHeld, asOf: date, originalTransactionId: subscription?.originalTransactionId)
    }
}

/// The outcome of a decision; only ``eligible`` is ever signed.
package enum Verdict: String, Sendable {
    case eligible
    case ineligible
    /// The evidence does not show whether the customer may have the offer.
    case unknown
}

package protocol VerdictReason: Hashable, Sendable {
    var verdict: Verdict { get }
}

/// The reason of a decision: the `reason` of an answer.
///
/// If several reasons to refuse apply, the first in this list is given. The unknown ones rank between ``offerEnded``
/// and ``neverSubscribed``, because evidence that does not count is not examined further. But ``bundled`` ranks after
/// ``assigned``, and ``noEvidence`` in the place of a rule whose facts the evidence does not show.
package enum Reason: String, CaseIterable, VerdictReason {
    case active
    case activeAutoRenewOff = "active_auto_renew_off"
    case gracePeriod = "grace_period"
    case billingRetry = "billing_retry"
    case lapsed
    case eligibilitySkipped = "eligibility_skipped"

    case offerNotInCatalog = "offer_not_in_catalog"
    case bundleMismatch = "bundle_mismatch"
    case environmentNotAllowed = "environment_not_allowed"
    case accountMismatch = "account_mismatch"
    case evidenceShared = "evidence_shared"
    case offerNotStarted = "offer_not_started"
    case offerEnded = "offer_ended"
    case neverSubscribed = "never_subscribed"
    case noPendingRenewalInfo = "no_pending_renewal_info"
    case refunded
    case familyShared = "family_shared"
    case assigned
    case stateNotInAudience = "state_not_in_audience"
    case notFromProduct = "not_from_product"
    case inTrial = "in_trial"
    case notLapsedBecause = "not_lapsed_because"
    case notInStorefront = "not_in_storefront"
    case tenureTooShort = "tenure_too_short"
    case priceIncreasePending = "price_increase_pending"
    case lapsedTooRecently = "lapsed_too_recently"
    case lapsedTooLong = "lapsed_too_long"
    case redemptionLimit = "redemption_limit"
    case signatureLimit = "signature_limit"
    case heldOut = "held_out"

    case noEvidence = "no_evidence"
    case groupUnknown = "group_unknown"
    case evidenceStale = "evidence_stale"
    case bundled

    package var verdict: Verdict {
        switch self {
        case .active, .activeAutoRenewOff, .gracePeriod, .billingRetry, .lapsed, .eligibilitySkipped: .eligible
        case .noEvidence, .groupUnknown, .evidenceStale, .bundled: .unknown
        default: .ineligible
        }
    }

    /// For callers, without a capital and a full stop.
    package var meaning: String {
        switch self {
        case .active: "the customer is subscribed, and will renew"
        case .activeAutoRenewOff: "subscribed, with auto-renew off"
        case .gracePeriod: "the payment failed, and access goes on"
        case .billingRetry: "the payment failed, access has ended, and Apple still tries"
        case .lapsed: "was subscribed, and no longer is"
        case .eligibilitySkipped:
            "somebody ran `offer-signer sign --skip-eligibility`. No HTTP request gets this reason"
        case .offerNotInCatalog: "the catalog has no such offer on the product"
        case .bundleMismatch: "the evidence is about another app"
        case .environmentNotAllowed: "the evidence is from an environment that the app's `environments` does not list"
        case .accountMismatch: "the evidence names an account, and the request names another one or none"
        case .evidenceShared:
            "the evidence names no account, and was shown for more accounts than `maximumAccountsPerTransaction` "
                + "allows. Once an account was refused a signature, so is a request without one"
        case .offerNotStarted: "before the offer's `startsAt`"
        case .offerEnded: "after the offer's `endsAt`"
        case .neverSubscribed:
            "the customer never had a subscription of the product's group (of the app, with `scope: app`)"
        case .noPendingRenewalInfo: "there are purchases in the group, but no `pending_renewal_info` entry for it"
        case .refunded: "the newest purchase of the group was refunded or revoked"
        case .familyShared: "the customer has, or had, access by Family Sharing, and bought nothing"
        case .assigned:
            "an organisation or a group pays, or paid, for the customer's seat, and the customer bought nothing"
        case .stateNotInAudience: "the offer is not for customers in this state"
        case .notFromProduct: "the customer holds, or held last, none of the offer's `fromProducts`"
        case .inTrial: "the running period is free, and the offer has `duringTrial: refuse`"
        case .notLapsedBecause: "the subscription ended for none of the reasons of the offer's `lapsedBecause`"
        case .notInStorefront: "the customer bought in none of the offer's `storefronts`"
        case .tenureTooShort: "the customer's first purchase was fewer than `minimumTenureDays` days ago"
        case .priceIncreasePending:
            "Apple has asked the customer to accept a higher price, and the offer has `duringPriceIncrease: refuse`"
        case .lapsedTooRecently: "lapsed fewer than `minimumLapsedDays` days ago"
        case .lapsedTooLong: "lapsed more than `maximumLapsedDays` days ago"
        case .redemptionLimit: "redeemed as often as `maxRedemptions` allows"
        case .signatureLimit: "signed for the customer as often as `maximumSignaturesPerCustomer` allows"
        case .heldOut: "the customer would get the offer, but is among those held out for comparison (`holdout`)"
        case .noEvidence: "there is no evidence, or it lacks what the decision needs, such as when a subscription ended"
        case .groupUnknown:
            "neither the catalog nor the evidence says which group a subscription belongs to, or they contradict each "
                + "other, and none that gives access is known to be in the product's group"
        case .bundled: "the subscription came with a bundle, and the offer does not have `bundled: allow`"
        case .evidenceStale: "the evidence is too old, carries no date, or a renewal was due since. Fetch it again"
        }
    }
}

/// One rule's facts and ruling: a line of the explanation that a decision carries on request.
package struct RuleFinding: Equatable, Sendable {
    /// The catalog's key where the rule is about one.
    package let rule: String
    /// The facts in a sentence or two for people.
    package let saw: String
    /// ``Verdict/eligible`` when the offer passes the rule.
    package let verdict: Verdict
}
