import Offers

extension SignOffers {
    /// Decides as ``answer(_:skippingEligibility:)`` does, signs nothing, and decides about introductory offers too.
    ///
    /// - Parameter request: The request.
    /// - Returns: The decisions.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    public func eligibility(_ request: EligibilityRequest) throws(SignatureFault) -> EligibilityAnswer {
        guard let app = apps[request.bundleId]?.app else { throw .unknownApp(bundleId: request.bundleId) }
        if app.requiresAccount, request.account == .none { throw .accountRequired }
        let moment = now()
        let customer = Customer(
            account: request.account,
            history: try history(from: request.evidence, at: moment)
        )
        var offerPolicy = OfferPolicy(
            app: app,
            customer: customer,
            now: moment,
            maximumEvidenceAgeSeconds: maximumEvidenceAgeSeconds
        )
        let introductoryPolicy = IntroductoryPolicy(
            app: app,
            customer: customer,
            now: moment,
            maximumEvidenceAgeSeconds: maximumEvidenceAgeSeconds
        )
        let decisions = (request.offers ?? app.offers).map { offer in
            OfferEligibility(request: offer, decision: offerPolicy.decide(offer, explaining: request.explain))
        }
        let products = request.products.map { productId in
            ProductEligibility(
                productId: productId,
                introductoryOffer: introductoryPolicy.decide(productId, explaining: request.explain)
            )
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
