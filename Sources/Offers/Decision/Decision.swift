/// The decision about one offer, with its reason.
public struct Decision: Equatable, Sendable {
    /// The reason, which also gives the verdict.
    public let reason: Reason
    /// The reason in a sentence or two, for people: what was seen, and what the offer asks for.
    public let detail: String
    /// Every rule that was checked, in order, up to the one that refused; `nil` unless an explanation was asked for.
    public let explanation: [RuleFinding]?
    /// When the offer would start; `nil` when the customer may not have it, or when that is not known.
    public let begins: OfferStart?
    /// Whether the offer would end another that is running.
    public let replacesActiveOffer: Bool

    /// Whether the customer may have the offer.
    public var verdict: Verdict { reason.verdict }

    /// Creates a decision.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - detail: The reason in a sentence or two.
    ///   - explanation: Every rule that was asked; `nil` unless an explanation was asked for.
    ///   - begins: When the offer would start.
    ///   - replacesActiveOffer: Whether it would end another that is running.
    public init(
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

/// The outcome of a decision about an offer for a customer.
///
/// Only ``eligible`` is ever signed.
public enum Verdict: String, Sendable {
    /// The customer may have the offer.
    case eligible
    /// The customer may not have it.
    case ineligible
    /// The evidence does not show whether the customer may have it.
    case unknown
}

/// A reason that stands for a verdict.
public protocol VerdictReason: Hashable, Sendable {
    /// The verdict that the reason belongs to.
    var verdict: Verdict { get }
}

/// Why a decision is what it is: the `reason` of an answer.
///
/// If several reasons to refuse apply, the first in this list is given. The unknown ones rank between ``offerEnded``
/// and ``neverSubscribed``, because evidence that does not count is not examined further. ``noEvidence`` also replaces
/// ``lapsedTooRecently`` and ``lapsedTooLong`` when the evidence does not show when the subscription lapsed.
public enum Reason: String, CaseIterable, VerdictReason {
    /// Eligible: subscribed, and renewing.
    case active
    /// Eligible: subscribed, with auto-renew off.
    case activeAutoRenewOff = "active_auto_renew_off"
    /// Eligible: in the Billing Grace Period.
    case gracePeriod = "grace_period"
    /// Eligible: Apple is retrying a failed renewal.
    case billingRetry = "billing_retry"
    /// Eligible: the subscription expired.
    case lapsed
    /// Eligible by an operator's word on the command line, without evidence.
    case eligibilitySkipped = "eligibility_skipped"

    /// Refused: the catalog has no such offer on the product.
    case offerNotInCatalog = "offer_not_in_catalog"
    /// Refused: the evidence is about another app.
    case bundleMismatch = "bundle_mismatch"
    /// Refused: the evidence is from an environment that the catalog does not allow for the app.
    case environmentNotAllowed = "environment_not_allowed"
    /// Refused: the evidence belongs to another account.
    case accountMismatch = "account_mismatch"
    /// Refused: the evidence was presented for more accounts than the catalog allows.
    case evidenceShared = "evidence_shared"
    /// Refused: the offer has not started yet.
    case offerNotStarted = "offer_not_started"
    /// Refused: the offer has ended.
    case offerEnded = "offer_ended"
    /// Refused: the customer never had a subscription of the product's group.
    case neverSubscribed = "never_subscribed"
    /// Refused: there are transactions of the group, but no entry of `pending_renewal_info`.
    case noPendingRenewalInfo = "no_pending_renewal_info"
    /// Refused: the newest purchase was refunded or revoked.
    case refunded
    /// Refused: access by Family Sharing only.
    case familyShared = "family_shared"
    /// Refused: an organisation or a group pays for the customer's seat.
    case assigned
    /// Refused: the offer is not for a customer in this state.
    case stateNotInAudience = "state_not_in_audience"
    /// Refused: the customer holds, or held last, none of the products that the offer is for.
    case notFromProduct = "not_from_product"
    /// Refused: the subscription lapsed fewer days ago than the offer asks for.
    case lapsedTooRecently = "lapsed_too_recently"
    /// Refused: the subscription lapsed more days ago than the offer allows.
    case lapsedTooLong = "lapsed_too_long"
    /// Refused: redeemed as often as the catalog allows.
    case redemptionLimit = "redemption_limit"
    /// Refused: signed for the customer as often as the catalog allows.
    case signatureLimit = "signature_limit"

    /// Unknown: there is no evidence, or it lacks what the decision needs.
    case noEvidence = "no_evidence"
    /// Unknown: the subscription's group cannot be determined.
    case groupUnknown = "group_unknown"
    /// Unknown: the evidence is too old, or carries no date.
    case evidenceStale = "evidence_stale"

    /// The verdict that the reason belongs to.
    public var verdict: Verdict {
        switch self {
        case .active, .activeAutoRenewOff, .gracePeriod, .billingRetry, .lapsed, .eligibilitySkipped: .eligible
        case .noEvidence, .groupUnknown, .evidenceStale: .unknown
        default: .ineligible
        }
    }
}

/// What one rule saw and how it ruled: a line of the explanation that a decision carries on request.
public struct RuleFinding: Equatable, Sendable {
    /// The rule's name: the catalog's key where it is about one.
    public let rule: String
    /// The facts that the rule saw, in a sentence or two for people.
    public let saw: String
    /// How it ruled: ``Verdict/eligible`` when the offer passes it.
    public let verdict: Verdict

    /// Creates a line.
    ///
    /// - Parameters:
    ///   - rule: The rule's name.
    ///   - saw: What it saw.
    ///   - verdict: How it ruled.
    public init(rule: String, saw: String, verdict: Verdict) {
        self.rule = rule
        self.saw = saw
        self.verdict = verdict
    }
}
