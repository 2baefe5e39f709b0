import Offers

extension SignOffers {
    /// Decides as ``answer(_:skippingEligibility:)`` does, signs nothing, and decides about introductory offers too.
    ///
    /// - Parameter request: The request.
    /// - Returns: The decisions.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    public func eligibility(
        _ request: EligibilityRequest
    ) throws(SignatureFault) -> Step<EligibilityAnswer, SignatureFault> {
        let app = try signingApp(of: request.bundleId, for: request.account).app
        let step = try histories.history(
            from: request.evidence,
            for: request.account,
            of: app,
            needsWholeHistory: !request.products.isEmpty
        )
        switch step {
        case .now(let known): return eligibility(request, of: app, known)
        case .later(let work):
            return .later { () async throws(SignatureFault) in
                try await self.eligibility(request, of: app, try await work()).value()
            }
        }
    }

    /// How many decisions a question asks for.
    ///
    /// - Parameter request: The request.
    /// - Returns: The number; without offers in the request, all of the app count.
    public func decisionCount(of request: EligibilityRequest) -> Int {
        (request.offers ?? apps[request.bundleId]?.app.offers ?? []).count + request.products.count
    }

    /// Decides about a customer who is known, once the ledger has been asked where it has to be.
    private func eligibility(
        _ request: EligibilityRequest,
        of app: App,
        _ known: CustomerHistories.KnownHistory
    ) -> Step<EligibilityAnswer, SignatureFault> {
        var policy = offerPolicy(of: app, for: request.account, known.history, at: known.moment)
        // Nothing is going to be written: what the ledger would say then is asked now.
        guard let question = policy.question(about: request.offers ?? app.offers, decided: nil, at: known.moment) else {
            return .now(eligibility(request, of: app, known, by: policy))
        }
        if let answer = ledger?.answerAtHand(to: question) {
            policy.consider(answer)
            return .now(eligibility(request, of: app, known, by: policy))
        }
        return .later { [policy] () async throws(SignatureFault) in
            var informed = policy
            informed.consider(try await self.ledgerAnswer(to: question))
            return self.eligibility(request, of: app, known, by: informed)
        }
    }

    private func eligibility(
        _ request: EligibilityRequest,
        of app: App,
        _ known: CustomerHistories.KnownHistory,
        by policy: OfferPolicy
    ) -> EligibilityAnswer {
        let (history, moment) = known
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
