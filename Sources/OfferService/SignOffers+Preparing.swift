package import Offers

/// The synchronous core: makes decisions and signatures, and keeps the signatures until the ledger has them.
extension SignOffers {
    /// A request with a decision for each offer, and without signatures so far.
    ///
    /// A class, so that passing it on copies nothing.
    package final class Decided: Sendable {
        fileprivate let request: SignatureRequest
        fileprivate let signing: SigningApp
        fileprivate let skipsEligibility: Bool
        fileprivate let moment: Timestamp
        fileprivate let policy: OfferPolicy
        fileprivate let decisions: [Decision]

        fileprivate init(
            _ request: SignatureRequest,
            _ signing: SigningApp,
            skipsEligibility: Bool,
            _ policy: OfferPolicy,
            _ decisions: [Decision],
            at moment: Timestamp
        ) {
            self.request = request
            self.signing = signing
            self.skipsEligibility = skipsEligibility
            self.moment = moment
            self.policy = policy
            self.decisions = decisions
        }
    }

    /// Decides, or returns the rest of the work if something has to be waited for.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - skipsEligibility: Whether to sign on an operator's word, without a look at the customer. The catalog and
    ///     the offers' windows hold all the same.
    /// - Returns: What was decided: ``SignOffers/sign(_:)`` signs what the customer may have.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    package func decide(
        _ request: SignatureRequest,
        skippingEligibility skipsEligibility: Bool = false
    ) throws(SignatureFault) -> Step<Decided, SignatureFault> {
        try customer(of: request).then { (customer) throws(SignatureFault) in
            try self.decide(request, for: customer, skippingEligibility: skipsEligibility)
        }
    }

    /// Decides about a customer who is known, once the ledger has been asked where it has to be.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - customer: Its customer.
    ///   - skipsEligibility: Whether to sign on an operator's word.
    /// - Returns: What was decided.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    package func decide(
        _ request: SignatureRequest,
        for customer: KnownCustomer,
        skippingEligibility skipsEligibility: Bool = false
    ) throws(SignatureFault) -> Step<Decided, SignatureFault> {
        let step = try decide(request, by: customer, skippingEligibility: skipsEligibility)
        guard customer.told != nil, !skipsEligibility else { return step }
        return try step.then { (decided) throws(SignatureFault) in
            var policy = decided.policy
            guard let one = customer.unconfirmed(request.offers, decided.decisions, &policy) else {
                return .now(decided)
            }
            return .later { () async throws(SignatureFault) in
                try await self.decide(request, for: try await self.histories.confirm(one, request, of: customer))
                    .value()
            }
        }
    }

    private func decide(
        _ request: SignatureRequest,
        by customer: KnownCustomer,
        skippingEligibility skipsEligibility: Bool
    ) throws(SignatureFault) -> Step<Decided, SignatureFault> {
        let (signing, moment) = (customer.signing, customer.moment)
        if request.formats.contains(.jws), signing.issuer == nil { throw .issuerUnknown(bundleId: request.bundleId) }
        var policy = offerPolicy(of: signing.app, for: request.account, customer.history, at: moment)
        let decisions = decisions(on: request, skipsEligibility: skipsEligibility, by: &policy)
        if !skipsEligibility,
            let question = policy.question(
                about: request.offers,
                decided: decisions,
                at: moment,
                suspecting: { ledger?.isSuspect($0) ?? false }
            )
        {
            if let answer = ledger?.answerAtHand(to: question) {
                policy.consider(answer)
                let decisions = self.decisions(on: request, skipsEligibility: false, by: &policy)
                return .now(Decided(request, signing, skipsEligibility: false, policy, decisions, at: moment))
            }
            return .later { [policy] () async throws(SignatureFault) in
                var policy = policy
                policy.consider(try await self.ledgerAnswer(to: question))
                let decisions = self.decisions(on: request, skipsEligibility: false, by: &policy)
                return Decided(request, signing, skipsEligibility: false, policy, decisions, at: moment)
            }
        }
        return .now(
            Decided(request, signing, skipsEligibility: skipsEligibility, policy, decisions, at: moment)
        )
    }

    private func decisions(
        on request: SignatureRequest,
        skipsEligibility: Bool,
        by policy: inout OfferPolicy
    ) -> [Decision] {
        var decisions: [Decision] = []
        decisions.reserveCapacity(request.offers.count)
        for offer in request.offers {
            let decision = metrics.rooms.measure(.decision) {
                skipsEligibility
                    ? policy.decideWithoutEligibility(offer, explaining: request.explain)
                    : policy.decide(offer, explaining: request.explain)
            }
            decisions.append(decision)
        }
        return decisions
    }

    /// The answer, after the ledger's outcomes: signatures that it refused are left out.
    ///
    /// - Parameters:
    ///   - prepared: The prepared answer.
    ///   - outcomes: The outcomes of its entry's grants, in their order; none without an entry.
    /// - Returns: The answer, which may leave.
    package func release(_ prepared: PreparedAnswer<SignatureAnswer>, by outcomes: [GrantOutcome]) -> SignatureAnswer {
        let answer = prepared.released(by: outcomes)
        let counters = signatureCounters[answer.bundleId]
        for decision in answer.decisions {
            metrics.decisions.count(
                CountedDecision(
                    decision.decision.reason,
                    of: decision.request,
                    bundleId: answer.bundleId,
                    environment: answer.environment,
                    call: .signatures
                )
            )
            if decision.discount != nil { counters?.count(decision.request.offerId, as: .discount) }
            if decision.jws != nil { counters?.count(decision.request.offerId, as: .jws) }
        }
        return answer
    }

    func offerPolicy(
        of app: App,
        for account: Account,
        _ history: SharedHistory?,
        at moment: Timestamp
    ) -> OfferPolicy {
        OfferPolicy(
            app: app,
            customer: Customer(account: account, sharing: history),
            now: moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: history),
            maximumHeldAgeSeconds: maximumEvidenceAgeSeconds
        )
    }

    /// Signs what the customer may have.
    ///
    /// - Parameter decided: What was decided.
    /// - Returns: The answer, which ``SignOffers/release(_:by:)`` lets out once the ledger has its entry.
    /// - Throws: ``SignatureFault`` when something could not be signed: nothing is given out then.
    package func sign(_ decided: Decided) throws(SignatureFault) -> PreparedAnswer<SignatureAnswer> {
        let (request, signing) = (decided.request, decided.signing)
        let (moment, decisions) = (decided.moment, decided.decisions)
        var policy = decided.policy
        // Only a JWS names a purchase, and only if the decision looked at the purchases.
        let namesPurchases =
            request.formats.contains(.jws) && !decided.skipsEligibility
            && decisions.contains { $0.verdict == .eligible }
        let stamp = OfferStamp(
            signing: signing,
            request: request,
            purchases: namesPurchases ? policy.history.map { NewestTransactions($0.value, of: signing.app) } : nil,
            moment: moment,
            rooms: metrics.rooms
        )
        var answered: [SignedDecision] = []
        answered.reserveCapacity(decisions.count)
        var grants: [OfferGrant] = []
        grants.reserveCapacity(decisions.count)
        for (offer, decision) in zip(request.offers, decisions) {
            let signed: SignedDecision
            do throws(SigningFailure) {
                signed = try stamp.signed(offer, decision)
            } catch {
                throw .signing(error)
            }
            answered.append(signed)
            let signatures = signed.signatures
            guard !signatures.isEmpty else { continue }
            grants.append(policy.grant(of: offer, decision.reason, signatures: signatures))
        }
        let environment = policy.environment
        return PreparedAnswer(
            SignatureAnswer(
                bundleId: request.bundleId,
                environment: environment,
                account: request.account,
                decisions: answered
            ),
            entry: grants.isEmpty
                ? nil
                : LedgerEntry(
                    time: moment,
                    client: request.client,
                    bundleId: request.bundleId,
                    environment: environment,
                    evidence: request.evidence?.kind,
                    account: request.account,
                    customer: request.account.customer(by: signing.app.customerSeparator),
                    grants: grants
                )
        )
    }
}

extension KnownCustomer {
    /// What makes the customer eligible, and the App Store itself has not spoken of lately; `nil` where there is nothing.
    func unconfirmed(
        _ offers: [OfferRequest],
        _ decisions: [Decision],
        _ policy: inout OfferPolicy
    ) -> UnconfirmedTransaction? {
        guard let told else { return nil }
        for (offer, decision) in zip(offers, decisions) where decision.verdict == .eligible {
            guard let (id, ids) = policy.subscription(behind: offer), told.isDisjoint(with: ids) else { continue }
            return UnconfirmedTransaction(id: id, subscriptionIds: ids)
        }
        return nil
    }
}

extension SignedDecision {
    /// The signatures as the ledger describes them.
    fileprivate var signatures: [OfferGrant.Signature] {
        let ofDiscount = discount.map {
            OfferGrant.Signature(
                form: .discount,
                keyIdentifier: $0.keyIdentifier,
                nonce: $0.nonce,
                timestamp: $0.timestamp
            )
        }
        let ofJWS = jws.map {
            OfferGrant.Signature(form: .jws, keyIdentifier: $0.keyIdentifier, nonce: $0.nonce, timestamp: $0.issuedAt)
        }
        // Mostly there is one: a literal of one element has no spare capacity.
        switch (ofDiscount, ofJWS) {
        case (let one?, nil), (nil, let one?): return [one]
        case (let one?, let other?): return [one, other]
        case (nil, nil): return []
        }
    }
}
