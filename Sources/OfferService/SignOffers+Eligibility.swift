import Offers

extension SignOffers {
    /// How far a question about eligibility came without waiting.
    public enum EligibilityBeginning: Sendable {
        /// Answered.
        case answered(EligibilityAnswer)
        /// Somebody has to be waited for: `SignOffers.goOn(with:)` does.
        case waiting(UndecidedEligibility)
    }

    /// A question about eligibility for which the App Store, the store of states or the ledger has to be waited for.
    public struct UndecidedEligibility: Sendable {
        fileprivate enum Reason: Sendable {
            case history(CustomerHistories.Beginning)
            case ledger(LedgerQuestion, SharedHistory?, OfferPolicy, Timestamp)
        }

        fileprivate let request: EligibilityRequest
        fileprivate let app: App
        fileprivate let reason: Reason
    }

    /// Decides as ``answer(_:skippingEligibility:)`` does, signs nothing, and decides about introductory offers too.
    ///
    /// - Parameter request: The request.
    /// - Returns: The decisions.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    public func eligibility(_ request: EligibilityRequest) async throws(SignatureFault) -> EligibilityAnswer {
        switch try begin(request) {
        case .answered(let answer): return answer
        case .waiting(let undecided): return try await goOn(with: undecided)
        }
    }

    /// How many decisions a question asks for.
    ///
    /// - Parameter request: The request.
    /// - Returns: The number; without offers in the request, all of the app count.
    public func decisionCount(of request: EligibilityRequest) -> Int {
        (request.offers ?? apps[request.bundleId]?.app.offers ?? []).count + request.products.count
    }

    /// Decides as ``eligibility(_:)`` does, as far as that goes without waiting for anybody.
    ///
    /// - Parameter request: The request.
    /// - Returns: The decisions, or what has to be waited for.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    public func begin(_ request: EligibilityRequest) throws(SignatureFault) -> EligibilityBeginning {
        let app = try signingApp(of: request.bundleId, for: request.account).app
        let beginning = try histories.begin(
            from: request.evidence,
            for: request.account,
            of: app,
            needsWholeHistory: !request.products.isEmpty
        )
        guard case .known(let history, let moment) = beginning else {
            return .waiting(UndecidedEligibility(request: request, app: app, reason: .history(beginning)))
        }
        return decide(request, of: app, history, at: moment)
    }

    /// Goes on with a question about eligibility, and waits for whom it has to be waited.
    ///
    /// - Parameter undecided: The question.
    /// - Returns: The decisions.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    public func goOn(with undecided: UndecidedEligibility) async throws(SignatureFault) -> EligibilityAnswer {
        let (request, app) = (undecided.request, undecided.app)
        switch undecided.reason {
        case .ledger(let question, let history, var policy, let moment):
            policy.hear(try await standing(of: question))
            return eligibility(request, of: app, history, by: policy, at: moment)
        case .history(let beginning):
            let (history, moment) = try await histories.history(
                goingOn: beginning,
                for: request.account,
                of: app,
                needsWholeHistory: !request.products.isEmpty
            )
            switch decide(request, of: app, history, at: moment) {
            case .answered(let answer): return answer
            case .waiting(let undecided): return try await goOn(with: undecided)
            }
        }
    }

    /// Decides, unless the ledger has to be asked first.
    private func decide(
        _ request: EligibilityRequest,
        of app: App,
        _ history: SharedHistory?,
        at moment: Timestamp
    ) -> EligibilityBeginning {
        var policy = offerPolicy(of: app, for: request.account, history, at: moment)
        // Nothing is going to be written: what the ledger would say then is asked now.
        if let question = policy.question(about: request.offers ?? app.offers, decided: nil, at: moment) {
            if let standing = ledger?.standingAtHand(of: question) {
                policy.hear(standing)
                return .answered(eligibility(request, of: app, history, by: policy, at: moment))
            }
            let reason = UndecidedEligibility.Reason.ledger(question, history, policy, moment)
            return .waiting(UndecidedEligibility(request: request, app: app, reason: reason))
        }
        return .answered(eligibility(request, of: app, history, by: policy, at: moment))
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
