package import Offers

/// Decides, as far as that goes without a wait; the rest is a ``Step``.
extension SignOffers {
    /// A request with its decisions, not signed so far: a class, so that passing it on copies nothing.
    package final class Decided: Sendable {
        let request: CustomerRequest
        let customer: KnownCustomer
        let skipsEligibility: Bool
        let policy: OfferPolicy
        let offers: [OfferRequest]
        let decisions: [Decision]
        let products: [DecidedProduct]

        fileprivate init(
            _ request: CustomerRequest,
            for customer: KnownCustomer,
            skipsEligibility: Bool,
            _ policy: OfferPolicy,
            _ offers: [OfferRequest],
            _ decisions: [Decision],
            _ products: [DecidedProduct]
        ) {
            self.request = request
            self.customer = customer
            self.skipsEligibility = skipsEligibility
            self.policy = policy
            self.offers = offers
            self.decisions = decisions
            self.products = products
        }
    }

    package func decide(
        _ request: CustomerRequest,
        skippingEligibility skips: Bool = false
    ) throws(SignatureFault) -> Step<Decided, SignatureFault> {
        try customers(of: [request]).then { (customers) throws(SignatureFault) in
            try self.decide(request, for: customers[0], skippingEligibility: skips)
        }
    }

    /// Decides once Apple and the ledger have been asked where they have to be.
    package func decide(
        _ request: CustomerRequest,
        for customer: CustomerStep,
        skippingEligibility skips: Bool = false
    ) throws(SignatureFault) -> Step<Decided, SignatureFault> {
        try customer.get().then { (known) throws(SignatureFault) in
            try self.decide(request, for: known, skippingEligibility: skips)
        }
    }

    private func decide(
        _ request: CustomerRequest,
        for customer: KnownCustomer,
        skippingEligibility skips: Bool
    ) throws(SignatureFault) -> Step<Decided, SignatureFault> {
        let step = try decide(request, by: customer, skippingEligibility: skips)
        guard customer.confirmed != nil, !skips else { return step }
        return try step.then { (decided) throws(SignatureFault) in
            guard let one = customer.unconfirmed(by: decided) else { return .now(decided) }
            return .later { () async throws(SignatureFault) in
                let confirmed = try await self.histories.confirm(one, request, of: customer)
                return try await self.decide(request, for: confirmed, skippingEligibility: false).value()
            }
        }
    }

    private func decide(
        _ request: CustomerRequest,
        by customer: KnownCustomer,
        skippingEligibility skips: Bool
    ) throws(SignatureFault) -> Step<Decided, SignatureFault> {
        let app = customer.signing.app
        if request.needsIssuer, customer.signing.issuer == nil { throw .issuerUnknown(bundleId: request.bundleId) }
        let products = try decidedProducts(of: request, for: customer)
        let offers = request.offers(of: app)
        @Sendable func isSuspect(_ id: SubscriptionIdentity) -> Bool { ledger?.isSuspect(id) ?? false }
        var policy = OfferPolicy(
            app: app,
            environments: request.environments(of: app),
            customer: customer.customer,
            now: customer.moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: customer.book),
            heldAge: .limited(maximumEvidenceAgeSeconds),
            drawingBy: draw
        )
        @Sendable func decided(by policy: OfferPolicy, _ decisions: [Decision]) -> Decided {
            Decided(request, for: customer, skipsEligibility: skips, policy, offers, decisions, products)
        }
        // Without signatures nothing will be written, so the ledger is asked now for its answer to them.
        let first =
            request.signatureCount > 0
            ? decisions(on: offers, of: request, skipsEligibility: skips, by: &policy) : nil
        @Sendable func decided(by policy: OfferPolicy, with answer: LedgerAnswer) -> Decided {
            var policy = policy
            policy.consider(answer)
            var decisions = self.decisions(on: offers, of: request, skipsEligibility: false, by: &policy)
            // Refused where it is written, the evidence is marked: else a request without an account would be signed for.
            for (place, decision) in (first ?? []).enumerated()
            where decision.verdict == .eligible && decisions[place].reason == .evidenceShared
                && !policy.isShared(offers[place], by: isSuspect)
            {
                decisions[place] = decision
            }
            return decided(by: policy, decisions)
        }
        var question =
            skips
            ? nil
            : policy.question(
                about: offers,
                decided: first,
                at: customer.moment,
                suspecting: { first != nil && isSuspect($0) }
            )
        question?.customerDigest = customer.customer.knownAccount
        guard let question else {
            let decisions = first ?? decisions(on: offers, of: request, skipsEligibility: skips, by: &policy)
            return .now(decided(by: policy, decisions))
        }
        if let answer = ledger?.answerAtHand(to: question) { return .now(decided(by: policy, with: answer)) }
        return .later { [policy] () async throws(SignatureFault) in
            decided(by: policy, with: try await self.ledgerAnswer(to: question))
        }
    }

    private func decisions(
        on offers: [OfferRequest],
        of request: CustomerRequest,
        skipsEligibility: Bool,
        by policy: inout OfferPolicy
    ) -> [Decision] {
        var decisions: [Decision] = []
        decisions.reserveCapacity(offers.count)
        for offer in offers {
            let decision = metrics.stages.measure(.decision) {
                skipsEligibility
                    ? policy.decideWithoutEligibility(offer, explaining: request.explain)
                    : policy.decide(offer, explaining: request.explain)
            }
            decisions.append(decision)
        }
        return decisions
    }

    package func decisionCount(of request: CustomerRequest) -> Int {
        (apps[request.bundleId].map { request.offers(of: $0.app).count } ?? 0) + request.products.count
    }
}

extension KnownCustomer {
    /// A transaction that makes the customer eligible, and of which the App Store itself has not spoken lately.
    fileprivate func unconfirmed(by decided: SignOffers.Decided) -> UnconfirmedTransaction? {
        guard let confirmed else { return nil }
        var policy = decided.policy
        for (offer, decision) in zip(decided.offers, decided.decisions) where decision.isEligibleBeforeDraw {
            guard let (id, ids) = policy.subscription(behind: offer), confirmed.isDisjoint(with: ids) else { continue }
            return UnconfirmedTransaction(id: id, subscriptionIds: ids)
        }
        return nil
    }
}
