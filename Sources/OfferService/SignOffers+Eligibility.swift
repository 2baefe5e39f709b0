import Offers

extension SignOffers {
    /// Decides as ``answer(_:skippingEligibility:)`` does, signs nothing, and decides about introductory offers too.
    ///
    /// - Parameter request: The request.
    /// - Returns: The decisions.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    public func eligibility(_ request: EligibilityRequest) throws(SignatureFault) -> EligibilityAnswer {
        let app = try signingApp(of: request.bundleId, for: request.account).app
        let (history, moment) = try histories.history(from: request.evidence, for: request.account, of: app)
        return eligibility(request, of: app, history, at: moment)
    }

    /// Decides in the same way, asking the App Store first where the evidence is a question.
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
        return eligibility(request, of: app, history, at: moment)
    }

    private func eligibility(
        _ request: EligibilityRequest,
        of app: App,
        _ history: SubscriptionHistory?,
        at moment: Timestamp
    ) -> EligibilityAnswer {
        let customer = Customer(account: request.account, history: history)
        var offerPolicy = OfferPolicy(
            app: app,
            customer: customer,
            now: moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: history)
        )
        let introductoryPolicy = IntroductoryPolicy(
            app: app,
            customer: customer,
            now: moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: history)
        )
        let decisions = (request.offers ?? app.offers).map { offer in
            let decision = metrics.rooms.measure(.decision) { offerPolicy.decide(offer, explaining: request.explain) }
            metrics.decisions.count(decision.reason, in: .eligibility)
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
            environment: customer.history?.environment,
            account: request.account,
            decisions: decisions,
            products: products
        )
    }
}
