import Offers

extension SignOffers {
    /// Decides as ``answer(_:skippingEligibility:)`` does, signs nothing, and decides about introductory offers too.
    ///
    /// - Parameter request: The request.
    /// - Returns: The decisions.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    public func eligibility(_ request: EligibilityRequest) async throws(SignatureFault) -> EligibilityAnswer {
        let app = try signingApp(of: request.bundleId, for: request.account).app
        let (history, moment) = try await histories.history(
            from: request.evidence,
            for: request.account,
            of: app,
            needsWholeHistory: !request.products.isEmpty
        )
        var policy = offerPolicy(of: app, for: request.account, history, at: moment)
        // Nothing is going to be written: what the ledger would say then is asked now.
        if let question = policy.question(about: request.offers ?? app.offers, decided: nil, at: moment) {
            policy.hear(try await standing(of: question))
        }
        return eligibility(request, of: app, history, by: policy, at: moment)
    }

    private func eligibility(
        _ request: EligibilityRequest,
        of app: App,
        _ history: SharedHistory?,
        by policy: OfferPolicy,
        at moment: Timestamp
    ) -> EligibilityAnswer {
        let customer = Customer(account: request.account, sharing: history)
        var offerPolicy = policy
        var introductoryPolicy = IntroductoryPolicy(
            app: app,
            customer: customer,
            now: moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: history)
        )
        let decisions = (request.offers ?? app.offers).map { offer in
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
            return ProductEligibility(productId: productId, introductoryOffer: decision)
        }
        return EligibilityAnswer(
            bundleId: request.bundleId,
            environment: customer.history?.value.environment,
            account: request.account,
            decisions: decisions,
            products: products
        )
    }
}
