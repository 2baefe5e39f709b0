/// Decides which offers a customer may have, by ``OfferRules`` and then ``SubscriberRules``, in the order of the
/// reasons.
///
/// One policy serves one request: it reads the evidence once and remembers its findings. It fails closed: without proof
/// that the customer may have an offer, the verdict is ineligible or unknown.
package struct OfferPolicy: Sendable {
    private(set) var evidence: EvidenceExamination
    /// The facts of each offer that was asked about and is in the catalog.
    private var known: [OfferRequest: OfferFacts] = [:]

    /// Takes the server's clock, at which offer windows and the age of evidence are judged, and ages in seconds, 0 for
    /// no limit.
    ///
    /// Held state has the limit of the evidence unless it has its own. Without a draw, nobody is held out.
    package init(
        app: App,
        environments: Set<AppStoreEnvironment>? = nil,
        customer: Customer,
        now: Timestamp,
        maximumEvidenceAgeSeconds: Int64,
        heldAge: HeldAge? = nil,
        drawingBy draw: (any HoldoutDraw)? = nil
    ) {
        self.init(
            RequestFacts(
                app: app,
                environments: environments,
                customer: customer,
                now: now,
                maximumEvidenceAgeSeconds: maximumEvidenceAgeSeconds,
                heldAge: heldAge ?? .limited(maximumEvidenceAgeSeconds),
                draw: draw
            )
        )
    }

    private init(_ request: RequestFacts) { evidence = EvidenceExamination(request, of: request.ownBook) }

    private var request: RequestFacts { evidence.request }

    /// The environment of the evidence; `nil` without evidence, or where it does not say.
    package var environment: AppStoreEnvironment? { request.book?.environment }
    var app: App { request.app }
    /// The account to sign for.
    var account: Account { request.account }
    /// The part of the book that can be the account's own; `nil` without evidence.
    package var book: Book? { request.ownBook }

    /// Takes the ledger's counts into account from now on.
    package mutating func consider(_ ledgerAnswer: LedgerAnswer) {
        evidence.consider(ledgerAnswer)
        known = [:]
    }

    /// The facts before the customer's subscription is judged; `nil` for an offer that the catalog lacks.
    mutating func facts(of offerRequest: OfferRequest) -> OfferFacts? {
        if let facts = known[offerRequest] { return facts }
        let facts = OfferFacts(request, offerRequest) { offer, group in
            evidence.reading(inGroup: offer.terms.scope == .app ? nil : group.id)
        }
        known[offerRequest] = facts
        return facts
    }

    /// Decides with the first reason that holds; `explaining` adds every rule that was asked.
    package mutating func decide(_ offerRequest: OfferRequest, explaining: Bool = false) -> Decision {
        let decision = decideByAll(offerRequest, explaining: explaining)
        guard decision.isEligibleBeforeDraw else { return decision }
        // Evidence that is too old to count can only refuse.
        if let rest = request.book?.withoutOlder(than: request.oldestHeld) {
            var other = OfferPolicy(request.with(customer: request.customer.with(rest)))
            let without = other.decideByAll(offerRequest, explaining: explaining)
            guard without.verdict == .eligible || without.reason == .heldOut && decision.reason == .heldOut else {
                return without
            }
        }
        return productionsRefusal(of: offerRequest, after: decision) ?? decision
    }

    /// The refusal by what is held in Production: StoreKit takes a signature in the environment that the app runs in.
    ///
    /// Where nothing of the offer's scope is held there, it refuses nothing.
    private func productionsRefusal(of offerRequest: OfferRequest, after decision: Decision) -> Decision? {
        guard let production = request.customer.production else { return nil }
        var other = OfferPolicy(
            RequestFacts(
                app: app,
                environments: [.production],
                customer: request.customer.with(production),
                now: request.now,
                maximumEvidenceAgeSeconds: request.maximumEvidenceAgeSeconds,
                heldAge: .any(),
                ledgerAnswer: request.ledgerAnswer
            )
        )
        switch other.facts(of: offerRequest)?.reading?.status {
        case .neverSubscribed, .noEvidence, nil: return nil
        case .subscriber, .noPendingRenewalInfo, .groupUnknown: break
        }
        let refusal = other.decideByAll(offerRequest, explaining: false)
        if refusal.verdict == .eligible { return nil }
        let detail = "In Production, as held there: \(refusal.detail)"
        let finding = RuleFinding(rule: "production", saw: detail, verdict: refusal.verdict)
        var productions = Decision(
            refusal.reason,
            detail: detail,
            explanation: decision.explanation.map { $0 + [finding] }
        )
        productions.basis = refusal.basis
        productions.drawn = refusal.drawn
        return productions
    }

    private mutating func decideByAll(_ offerRequest: OfferRequest, explaining: Bool) -> Decision {
        let facts = facts(of: offerRequest)
        var decision = decideByAll(offerRequest, facts, explaining: explaining)
        decision.basis = facts?.reading?.basis
        return decision
    }

    private mutating func decideByAll(
        _ offerRequest: OfferRequest,
        _ facts: OfferFacts?,
        explaining: Bool
    ) -> Decision {
        var examination = Examination<Reason>(explaining: explaining)
        // A listed offer passes this rule, and only an explanation mentions it.
        if explaining || facts == nil {
            let catalog = CatalogFacts(app: request.app, request: offerRequest)
            if let refusal = examination.refusal(by: OfferRules.ofCatalog, of: catalog) {
                return Decision(refusal, examination)
            }
        }
        guard let facts else { return .unlisted }
        for rules in Self.rulesBeforeSubscription {
            if let refusal = examination.refusal(by: rules, of: facts) { return Decision(refusal, examination) }
        }
        guard let subscriber = SubscriberFacts(facts) else {
            return Decision(.noEvidence, detail: EvidencePhrases.none)
        }
        if let refusal = examination.refusal(by: SubscriberRules.inOrder, of: subscriber) {
            var decision = Decision(refusal, examination)
            if refusal.reason == .heldOut { decision.drawn = subscriber.drawn }
            return decision
        }
        guard let reason = subscriber.state.eligibleReason else {
            return Decision(.stateNotInAudience, detail: "\(subscriber.phrase).")
        }
        var decision = eligible(reason, subscriber, examination)
        decision.drawn = subscriber.drawn
        return decision
    }

    fileprivate static let rulesBeforeSubscription = [OfferRules.ofOwner, OfferRules.ofWindow, OfferRules.ofEvidence]

    /// Decides on an operator's word that the customer may have the offer: the catalog and the offer's window still
    /// hold.
    package func decideWithoutEligibility(_ offerRequest: OfferRequest, explaining: Bool = false) -> Decision {
        var examination = Examination<Reason>(explaining: explaining)
        let catalog = CatalogFacts(app: request.app, request: offerRequest)
        if let refusal = examination.refusal(by: OfferRules.ofCatalog, of: catalog) {
            return Decision(refusal, examination)
        }
        guard let facts = OfferFacts(request, offerRequest, reading: { _, _ in nil }) else { return .unlisted }
        if let refusal = examination.refusal(by: OfferRules.ofWindow, of: facts) {
            return Decision(refusal, examination)
        }
        return Decision(
            .eligibilitySkipped,
            detail: "Eligibility was not judged, as the operator asked.",
            explanation: examination.explanation
        )
    }

    private mutating func eligible(
        _ reason: Reason,
        _ facts: SubscriberFacts,
        _ examination: Examination<Reason>
    ) -> Decision {
        // Its own group decides when it begins, also where it is for subscribers of any.
        let reading =
            facts.offer.terms.scope == .app
            ? evidence.reading(inGroup: facts.offerFacts.group.id) : facts.offerFacts.reading
        var begins = reading?.subscription?.start(ofOfferOn: facts.offerFacts.product, in: request.app)
        if reading?.status == .neverSubscribed { begins = .now }
        return Decision(
            reason,
            detail: "\(facts.phrase); the offer is for \(facts.offer.audiencePhrase).",
            explanation: examination.explanation,
            begins: begins,
            replacesActiveOffer: reading?.subscription?.hasRunningOffer ?? false
        )
    }

    /// A transaction of the subscription that decides about an offer, and all identifiers of that subscription.
    package mutating func subscription(behind request: OfferRequest) -> (transactionId: String, ids: Set<String>)? {
        guard let facts = facts(of: request), let id = facts.originalTransactionId else { return nil }
        return (
            facts.reading?.subscription?.transaction?.transactionId ?? id,
            Set((facts.book?.otherIds(of: id) ?? []) + [id])
        )
    }

    /// Whether the evidence is about this customer of this app, in a group, and new enough.
    mutating func isEvidenceOfCustomer(inGroup group: SubscriptionGroup) -> Bool {
        guard let reading = evidence.reading(inGroup: group.id) else { return false }
        let facts = GroupFacts(request: request, reading: reading)
        return Self.rulesOfCustomer.allSatisfy { $0.refusal(facts) == nil }
    }

    private static let rulesOfCustomer: [Rule<GroupFacts, Reason>] = [
        .bundleId(other: .bundleMismatch, missing: .noEvidence),
        .environments(other: .environmentNotAllowed, missing: .noEvidence),
        .account(other: .accountMismatch), .evidenceAge(stale: .evidenceStale),
    ]
}

/// The rules of both policies by their names, as explanations have them.
package enum RuleNames {
    /// Their demands on a customer, in the order in which they are asked.
    package static let wants: [(name: String, wants: String)] =
        sentences(OfferRules.ofCatalog) + OfferPolicy.rulesBeforeSubscription.flatMap(sentences)
        + sentences(SubscriberRules.inOrder) + sentences(IntroductoryRules.ofPast)

    private static func sentences<Facts, Reason>(_ rules: [Rule<Facts, Reason>]) -> [(name: String, wants: String)] {
        rules.compactMap { rule in rule.wants.map { (rule.name, $0) } }
    }
}

extension Decision {
    /// The catalog's rule has refused it already.
    fileprivate static let unlisted = Decision(.offerNotInCatalog, detail: "The catalog has no such offer.")

    fileprivate init(_ refusal: Examination<Reason>.Refusal, _ examination: Examination<Reason>) {
        self.init(refusal.reason, detail: refusal.saw, explanation: examination.explanation)
    }
}

/// The ledger's part in decisions.
extension OfferPolicy {
    /// The question to the ledger before decisions count; `nil` when there is nothing to ask.
    ///
    /// An eligible offer needs no question: its limits are checked when it is written. But of several reasons to refuse
    /// the first is given, and only the ledger knows whether evidence is shared; and an explanation has all facts.
    /// `decisions` were made without the ledger; they are `nil` when nothing is going to be written. Evidence of a
    /// suspect subscription was lately refused as shared: nothing of it is signed unasked.
    package mutating func question(
        about offers: [OfferRequest],
        decided decisions: [Decision]?,
        at now: Timestamp,
        suspecting isSuspect: (SubscriptionIdentity) -> Bool = { _ in false }
    ) -> LedgerQuestion? {
        var limited: [(offer: OfferRequest, limit: SignatureLimit, originalTransactionId: String?)] = []
        var presented: [String] = []
        for (index, request) in offers.enumerated() {
            if let decisions, !decisions[index].needsLedger {
                guard decisions[index].verdict == .eligible, isShared(request, by: isSuspect) else { continue }
            }
            guard let facts = facts(of: request) else { continue }
            if facts.countsAccounts, let id = facts.originalTransactionId, !presented.contains(id) {
                presented.append(id)
            }
            if let limit = facts.offer.terms.signatureLimit, !limited.contains(where: { $0.offer == request }) {
                limited.append((request, limit, facts.originalTransactionId))
            }
        }
        guard !limited.isEmpty || !presented.isEmpty else { return nil }
        var question = LedgerQuestion(
            bundleId: app.bundleId,
            environment: environment,
            customer: account.customer(by: app.customerSeparator),
            now: now,
            offers: limited,
            originalTransactionIds: presented
        )
        for chapter in book?.chapters ?? [] where !chapter.linked.isEmpty {
            if let id = chapter.id { question.otherIds[id] = chapter.linked.sorted() }
        }
        return question
    }

    /// The question to the ledger on which decisions depend where nothing will be written: limits of what would be signed, and
    /// whether evidence is shared.
    package mutating func question(
        about offers: [OfferRequest],
        trying decisions: [Decision],
        at now: Timestamp
    ) -> LedgerQuestion? {
        var open: [OfferRequest] = []
        for (offer, decision) in zip(offers, decisions) where dependsOnLedger(decision, about: offer) {
            open.append(offer)
        }
        return question(about: open, decided: nil, at: now)
    }

    /// Whether the ledger may change a decision that was made without it.
    package mutating func dependsOnLedger(_ decision: Decision, about offer: OfferRequest) -> Bool {
        decision.isEligibleBeforeDraw || facts(of: offer)?.countsAccounts == true
    }

    /// How many signatures of an offer's limit the customer has; `nil` without a limit, and where the ledger was not asked.
    package mutating func signatures(of request: OfferRequest) -> (count: Int, limit: SignatureLimit)? {
        guard let facts = facts(of: request), let limit = facts.offer.terms.signatureLimit else { return nil }
        return facts.signatures.map { ($0, limit) }
    }

    /// Whether an offer rests on evidence that was lately refused as shared.
    package mutating func isShared(_ request: OfferRequest, by isSuspect: (SubscriptionIdentity) -> Bool) -> Bool {
        guard let facts = facts(of: request), facts.countsAccounts, let id = facts.originalTransactionId,
            let environment
        else { return false }
        return isSuspect(
            SubscriptionIdentity(bundleId: app.bundleId, environment: environment, originalTransactionId: id)
        )
    }

    /// The grant with the limits under which it may leave; without a look at the customer nothing is counted.
    package mutating func grant(
        of request: OfferRequest,
        _ reason: Reason,
        signatures: [OfferGrant.Signature]
    ) -> OfferGrant {
        let facts = reason == .eligibilitySkipped ? nil : facts(of: request)
        return OfferGrant(
            offer: request,
            reason: reason.rawValue,
            originalTransactionId: facts?.originalTransactionId,
            otherIds: facts?.originalTransactionId.flatMap { book?.otherIds(of: $0) } ?? [],
            signatures: signatures,
            signatureLimit: facts?.offer.terms.signatureLimit,
            maximumAccounts: facts?.countsAccounts == true ? app.maximumAccountsPerTransaction : nil
        )
    }
}

extension Decision {
    /// The decision once the ledger has spoken: the same when the grant was recorded, otherwise the refusal.
    package func after(_ outcome: GrantOutcome, of grant: OfferGrant) -> Decision {
        let refusal: (reason: Reason, rule: String, saw: String)
        switch outcome {
        case .recorded, .answered, .keyReused: return self
        case .evidenceShared(let others):
            let presentations = LedgerAnswer.Presentations(others: others, isKnown: false)
            let saw = LedgerPhrases.presentations(presentations, maximum: grant.maximumAccounts ?? 0)
            refusal = (.evidenceShared, OfferRules.maximumAccountsPerTransaction, saw)
        case .signatureLimit(let count):
            let saw =
                grant.signatureLimit.map {
                    LedgerPhrases.signatures(count, limit: $0, forms: grant.signatures.count)
                } ?? ""
            refusal = (.signatureLimit, SubscriberRules.maximumSignaturesPerCustomer.name, saw)
        }
        var findings = explanation
        findings?.removeAll { $0.rule == refusal.rule }
        findings?.append(RuleFinding(rule: refusal.rule, saw: refusal.saw, verdict: refusal.reason.verdict))
        var decision = Decision(refusal.reason, detail: refusal.saw, explanation: findings)
        decision.basis = basis
        return decision
    }

    /// Whether the ledger may know of a reason to refuse that comes before this one, or is to be explained.
    fileprivate var needsLedger: Bool {
        if explanation != nil { return true }
        switch reason {
        case .offerNotInCatalog, .bundleMismatch, .environmentNotAllowed, .accountMismatch, .evidenceShared:
            return false
        default: return verdict != .eligible
        }
    }
}
