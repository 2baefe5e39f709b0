/// What decisions and the ledger have to do with each other.
extension OfferPolicy {
    /// What the ledger has to be asked before decisions count.
    ///
    /// An eligible offer needs no question: its limits are checked when it is written. But of several reasons to refuse
    /// the first is given, and only the ledger knows whether evidence is shared; and an explanation tells all that was
    /// seen.
    ///
    /// - Parameters:
    ///   - offers: The offers.
    ///   - decisions: What was decided about each without the ledger; `nil` when nothing is going to be written.
    ///   - now: The server's clock.
    ///   - isSuspect: Whether evidence of a subscription was lately refused as shared: nothing of it is signed unasked.
    /// - Returns: The question; `nil` when there is nothing to ask.
    public mutating func question(
        about offers: [OfferRequest],
        decided decisions: [Decision]?,
        at now: Timestamp,
        suspecting isSuspect: (SubscriptionIdentity) -> Bool = { _ in false }
    ) -> LedgerQuestion? {
        var limited: [(offer: OfferRequest, limit: SignatureLimit, originalTransactionId: String?)] = []
        var presented: [String] = []
        for (index, request) in offers.enumerated() {
            if let decisions, !decisions[index].needsLedger {
                guard decisions[index].verdict == .eligible, isShared(request, isSuspect) else { continue }
            }
            guard let facts = facts(of: request) else { continue }
            if facts.countsAccounts, let id = facts.originalTransactionId, !presented.contains(id) {
                presented.append(id)
            }
            if let limit = facts.offer.signatureLimit, !limited.contains(where: { $0.offer == request }) {
                limited.append((request, limit, facts.originalTransactionId))
            }
        }
        guard !limited.isEmpty || !presented.isEmpty else { return nil }
        return LedgerQuestion(
            bundleId: app.bundleId,
            environment: environment,
            customer: account.customer(by: app.customerPattern),
            now: now,
            offers: limited,
            originalTransactionIds: presented
        )
    }

    private mutating func isShared(_ request: OfferRequest, _ isSuspect: (SubscriptionIdentity) -> Bool) -> Bool {
        guard let facts = facts(of: request), facts.countsAccounts, let id = facts.originalTransactionId,
            let environment
        else { return false }
        return isSuspect(
            SubscriptionIdentity(bundleId: app.bundleId, environment: environment, originalTransactionId: id)
        )
    }

    /// What is written into the ledger for an eligible offer.
    ///
    /// - Parameters:
    ///   - request: The offer.
    ///   - reason: Why the customer may have it; without a look at the customer nothing is counted.
    ///   - signatures: Its signatures, one for each format.
    /// - Returns: The grant, with the limits under which it may leave.
    public mutating func grant(
        of request: OfferRequest,
        _ reason: Reason,
        signatures: [OfferGrant.Signature]
    ) -> OfferGrant {
        let facts = reason == .eligibilitySkipped ? nil : facts(of: request)
        return OfferGrant(
            offer: request,
            reason: reason.rawValue,
            originalTransactionId: facts?.originalTransactionId,
            signatures: signatures,
            signatureLimit: facts?.offer.signatureLimit,
            maximumAccounts: facts?.countsAccounts == true ? app.maximumAccountsPerTransaction : nil
        )
    }
}

extension Decision {
    /// The decision once the ledger has spoken.
    ///
    /// - Parameters:
    ///   - outcome: What became of the grant.
    ///   - grant: The grant.
    /// - Returns: The same decision when the grant was recorded; otherwise the refusal.
    public func after(_ outcome: GrantOutcome, of grant: OfferGrant) -> Decision {
        let refusal: (reason: Reason, rule: String, saw: String)
        switch outcome {
        case .recorded: return self
        case .evidenceShared(let others):
            let presentations = LedgerStanding.Presentations(others: others, isKnown: false)
            let saw = LedgerPhrases.presentations(presentations, maximum: grant.maximumAccounts ?? 0)
            refusal = (.evidenceShared, OfferRules.maximumAccountsPerTransaction, saw)
        case .signatureLimit(let count):
            let saw =
                grant.signatureLimit.map {
                    LedgerPhrases.signatures(count, limit: $0, forms: grant.signatures.count)
                } ?? ""
            refusal = (.signatureLimit, SubscriberRules.signatureLimitName, saw)
        }
        var findings = explanation
        findings?.removeAll { $0.rule == refusal.rule }
        findings?.append(RuleFinding(rule: refusal.rule, saw: refusal.saw, verdict: refusal.reason.verdict))
        return Decision(refusal.reason, detail: refusal.saw, explanation: findings)
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
