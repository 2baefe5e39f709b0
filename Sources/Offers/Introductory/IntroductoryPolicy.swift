/// Decides whether a customer may have the introductory offer of a product's group, by ``IntroductoryRules``.
///
/// It fails closed: a fact that the evidence does not show is unknown, and never makes a customer eligible. Evidence of
/// another app, environment or account is no evidence about this customer.
package struct IntroductoryPolicy: Sendable {
    private var evidence: EvidenceExamination
    private var pasts: [String: IntroductoryPast] = [:]

    /// Takes the server's clock, and the ages that evidence and held state beside it may have; 0 for no limit.
    package init(
        app: App,
        customer: Customer,
        now: Timestamp,
        maximumEvidenceAgeSeconds: Int64,
        maximumHeldAgeSeconds: Int64? = nil,
        environments: Set<AppStoreEnvironment>? = nil
    ) {
        self.init(
            RequestFacts(
                app: app,
                environments: environments,
                customer: customer,
                now: now,
                maximumEvidenceAgeSeconds: maximumEvidenceAgeSeconds,
                heldAge: .limited(maximumHeldAgeSeconds ?? maximumEvidenceAgeSeconds)
            )
        )
    }

    // An introductory offer counts for an Apple Account, whatever the accounts of its purchases.
    private init(_ request: RequestFacts) { evidence = EvidenceExamination(request, of: request.book) }

    private var request: RequestFacts { evidence.request }

    /// Decides with the first reason that holds; a product that the catalog does not have is of an unknown group.
    package mutating func decide(_ productId: String, explaining: Bool = false) -> IntroductoryDecision {
        let decision = decideByAll(productId, explaining: explaining)
        // Evidence that is too old to count can only refuse.
        guard decision.verdict == .eligible, let rest = request.book?.withoutOlder(than: request.oldestHeld) else {
            return decision
        }
        var other = IntroductoryPolicy(request.with(customer: request.customer.with(rest)))
        let without = other.decideByAll(productId, explaining: explaining)
        return without.verdict == .eligible ? decision : without
    }

    private mutating func decideByAll(_ productId: String, explaining: Bool) -> IntroductoryDecision {
        var examination = Examination<IntroductoryReason>(explaining: explaining)
        let facts = facts(about: productId)
        func decision(_ reason: IntroductoryReason, _ detail: String) -> IntroductoryDecision {
            IntroductoryDecision(
                reason: reason,
                detail: detail,
                explanation: examination.explanation,
                basis: facts.reading?.basis
            )
        }
        for rules in Self.rulesBeforePast {
            if let refusal = examination.refusal(by: rules, of: facts) { return decision(refusal.reason, refusal.saw) }
        }
        guard let group = facts.group, let past = past(inGroup: group.id, status: facts.reading?.status) else {
            return decision(.noEvidence, EvidencePhrases.none)
        }
        if let refusal = examination.refusal(by: IntroductoryRules.ofPast, of: past) {
            return decision(refusal.reason, refusal.saw)
        }
        return decision(
            .neverUsed,
            "No trial or introductory price of group \(group.id) was used, and no subscription of it is running."
        )
    }

    private static let rulesBeforePast = [
        IntroductoryRules.ofCatalog, IntroductoryRules.ofOwner, IntroductoryRules.ofEvidence,
    ]

    /// Whether the evidence is about this customer of this app, however old and incomplete it is.
    ///
    /// Then the App Store knows the customer by its transactions.
    package mutating func isEvidenceOfCustomer(about productId: String) -> Bool {
        let facts = facts(about: productId)
        return IntroductoryRules.ofOwner.allSatisfy { $0.refusal(facts) == nil }
    }

    private mutating func facts(about productId: String) -> IntroductoryFacts {
        let group = request.app.product(productId)?.group
        return IntroductoryFacts(
            request: request,
            productId: productId,
            group: group,
            reading: evidence.reading(inGroup: group?.id)
        )
    }

    private mutating func past(inGroup groupId: String, status: GroupStatus?) -> IntroductoryPast? {
        if let known = pasts[groupId] { return known }
        guard let book = request.book, let subscriptions = evidence.subscriptions else { return nil }
        let past = IntroductoryPast(
            book,
            inGroup: groupId,
            of: request.app,
            by: subscriptions,
            now: request.now,
            status: status
        )
        pasts[groupId] = past
        return past
    }
}

/// Whether a customer may have the introductory offer of a product, and why.
package struct IntroductoryDecision: Equatable, Sendable {
    package let reason: IntroductoryReason
    /// For people, in a sentence or two.
    package let detail: String
    /// Every rule that was asked, in order; `nil` unless an explanation was asked for.
    package let explanation: [RuleFinding]?
    /// `nil` where nothing is known of the customer.
    package let basis: DecisionBasis?

    package var verdict: Verdict { reason.verdict }
}

/// The reason of an introductory decision: the `reason` of an answer.
///
/// Where several reasons to refuse hold, the first in the order of ``IntroductoryRules`` is given: the rules on whether
/// evidence counts come before those that refuse, and the rule on its completeness after them.
package enum IntroductoryReason: String, CaseIterable, VerdictReason {
    case neverUsed = "never_used"

    case alreadyUsed = "already_used"
    case activeSubscription = "active_subscription"
    case gracePeriod = "grace_period"

    case noEvidence = "no_evidence"
    case groupUnknown = "group_unknown"
    case evidenceStale = "evidence_stale"

    package var verdict: Verdict {
        switch self {
        case .neverUsed: .eligible
        case .alreadyUsed, .activeSubscription, .gracePeriod: .ineligible
        case .noEvidence, .groupUnknown, .evidenceStale: .unknown
        }
    }

    /// For callers, without a capital and a full stop.
    package var meaning: String {
        switch self {
        case .neverUsed:
            "no trial or introductory price of the group was used, and no subscription of it is running"
        case .alreadyUsed: "one was used. A refunded trial counts as used"
        case .activeSubscription: "a subscription of the group is running. A shared one counts, too"
        case .gracePeriod: "the renewal failed, and access goes on"
        case .noEvidence:
            "there is no evidence that counts, or it is incomplete: a purchase has no end date, does not say whether it "
                + "was a trial (`is_trial_period`, whatever `is_in_intro_offer_period` says), or has an owner that is not "
                + "known"
        case .groupUnknown: "the group of the product, or of a purchase, cannot be determined"
        case .evidenceStale: "the evidence is too old, has no date, or a subscription has had a renewal date since"
        }
    }
}
