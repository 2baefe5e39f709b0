/// Why a customer may have the introductory offer of a product's group, or not: the `reason` of an answer.
///
/// Where several reasons to refuse hold, the first in the order of ``IntroductoryRules`` is given: what counts as
/// evidence is asked before those that refuse, and whether it shows all of the customer's past after them.
public enum IntroductoryReason: String, CaseIterable, VerdictReason {
    /// Eligible: no trial or introductory price of the group was ever used, and no subscription of it is running.
    case neverUsed = "never_used"

    /// Refused: a trial or introductory price of the group was used, whatever became of it.
    case alreadyUsed = "already_used"
    /// Refused: a subscription of the group is running.
    case activeSubscription = "active_subscription"
    /// Refused: the renewal failed, and the customer keeps access for the grace period.
    case gracePeriod = "grace_period"

    /// Unknown: there is no evidence that counts, or it does not tell.
    case noEvidence = "no_evidence"
    /// Unknown: a group cannot be determined, that of the product or that of a purchase.
    case groupUnknown = "group_unknown"
    /// Unknown: the evidence is too old, or carries no date.
    case evidenceStale = "evidence_stale"

    /// The verdict that the reason belongs to.
    public var verdict: Verdict {
        switch self {
        case .neverUsed: .eligible
        case .alreadyUsed, .activeSubscription, .gracePeriod: .ineligible
        case .noEvidence, .groupUnknown, .evidenceStale: .unknown
        }
    }
}
