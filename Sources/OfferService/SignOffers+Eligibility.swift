import Offers

extension SignOffers {
    /// Decides as ``answer(_:skippingEligibility:)`` does, signs nothing, and decides about introductory offers too.
    ///
    /// - Parameter request: The request.
    /// - Returns: The decisions.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    package func eligibility(
        _ request: EligibilityRequest
    ) throws(SignatureFault) -> Step<EligibilityAnswer, SignatureFault> {
        try customer(of: request).then { customer in self.eligibility(request, for: customer) }
    }

    /// Decides about a customer who is known, once the ledger has been asked where it has to be.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - customer: Its customer.
    /// - Returns: The decisions.
    package func eligibility(
        _ request: EligibilityRequest,
        for customer: KnownCustomer
    ) -> Step<EligibilityAnswer, SignatureFault> {
        guard customer.told != nil else { return eligibility(request, by: customer) }
        let app = customer.signing.app
        var policy = offerPolicy(of: app, for: request.account, customer.history, at: customer.moment)
        let offers = request.offers ?? app.offers
        let decisions = offers.map { policy.decide($0) }
        guard let one = customer.unconfirmed(offers, decisions, &policy) else {
            return eligibility(request, by: customer)
        }
        return .later { () async throws(SignatureFault) in
            let known = try await self.histories.confirm(one, request, of: customer)
            return try await self.eligibility(request, for: known).value()
        }
    }

    private func eligibility(
        _ request: EligibilityRequest,
        by customer: KnownCustomer
    ) -> Step<EligibilityAnswer, SignatureFault> {
        let app = customer.signing.app
        var policy = offerPolicy(of: app, for: request.account, customer.history, at: customer.moment)
        // Eligibility writes nothing, so the ledger is asked now what it would say to a signature.
        guard let question = policy.question(about: request.offers ?? app.offers, decided: nil, at: customer.moment)
        else {
            return .now(eligibility(request, for: customer, by: policy))
        }
        if let answer = ledger?.answerAtHand(to: question) {
            policy.consider(answer)
            return .now(eligibility(request, for: customer, by: policy))
        }
        return .later { [policy] () async throws(SignatureFault) in
            var informed = policy
            informed.consider(try await self.ledgerAnswer(to: question))
            return self.eligibility(request, for: customer, by: informed)
        }
    }

    /// How many decisions a question asks for.
    ///
    /// - Parameter request: The request.
    /// - Returns: The number; without offers in the request, all of the app count.
    package func decisionCount(of request: EligibilityRequest) -> Int {
        (request.offers ?? apps[request.bundleId]?.app.offers ?? []).count + request.products.count
    }

    private func eligibility(
        _ request: EligibilityRequest,
        for known: KnownCustomer,
        by policy: OfferPolicy
    ) -> EligibilityAnswer {
        let (app, history, moment) = (known.signing.app, known.history, known.moment)
        let customer = Customer(account: request.account, sharing: history)
        var offerPolicy = policy
        var introductoryPolicy = IntroductoryPolicy(
            app: app,
            customer: customer,
            now: moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: history),
            maximumHeldAgeSeconds: maximumEvidenceAgeSeconds
        )
        let offers = request.offers ?? app.offers
        let decisions = offers.map { offer in
            let decision = metrics.rooms.measure(.decision) { offerPolicy.decide(offer, explaining: request.explain) }
            metrics.decisions.count(
                CountedDecision(
                    decision.reason,
                    of: offer,
                    bundleId: request.bundleId,
                    environment: history?.value.environment,
                    call: .eligibility
                )
            )
            return OfferEligibility(request: offer, decision: decision)
        }
        let products = request.products.map { productId in
            let decision = metrics.rooms.measure(.decision) {
                introductoryPolicy.decide(productId, explaining: request.explain)
            }
            metrics.decisions.count(decision.reason)
            return ProductEligibility(
                productId: productId,
                introductoryOffer: decision,
                winBackOffers: offerPolicy.winBackOffers(inGroups: app.groups(ofProducts: [productId]))
            )
        }
        return EligibilityAnswer(
            bundleId: request.bundleId,
            environment: customer.history?.value.environment,
            account: request.account,
            decisions: decisions,
            products: products,
            winBackOffers: offerPolicy.winBackOffers(
                inGroups: app.groups(ofProducts: Set(offers.map(\.productId) + request.products))
            )
        )
    }
}
