import Offers

extension SignOffers {
    /// Decides about introductory offers, signs what was decided, and gives it out once the ledger has it.
    ///
    /// What is signed is obeyed by the App Store, so `true` is signed only where the verdict is eligible. Unknown is not
    /// signed: without a signature the App Store decides by what it knows itself. A client that would not let the
    /// customer have the offer gets refusals for every product of the catalog.
    ///
    /// - Parameter request: The request.
    /// - Returns: A decision for each product, in the order asked.
    /// - Throws: ``SignatureFault`` when there is no answer at all; nothing has been given out then.
    public func introductoryEligibility(
        _ request: IntroductorySignatureRequest
    ) async throws(SignatureFault) -> IntroductorySignatureAnswer {
        let signing = try signingApp(of: request.bundleId, for: request.account)
        let (history, moment) = try await histories.history(
            from: request.evidence,
            for: request.account,
            of: signing.app,
            needsWholeHistory: request.allowIntroductoryOffer
        ).value()
        guard !Task.isCancelled else { throw .givenUp }
        let answer = try answer(request, by: signing, history, at: moment)
        let grants = answer.products.compactMap(\.grant)
        if !grants.isEmpty {
            let entry = LedgerEntry(
                time: moment,
                client: request.client,
                bundleId: request.bundleId,
                environment: answer.environment,
                evidence: request.evidence?.kind,
                account: request.account,
                customer: request.account.customer(by: signing.app.customerPattern),
                grants: grants
            )
            // Nothing limits these: the App Store gives an introductory offer once.
            _ = try await record(entry)
        }
        for product in answer.products {
            metrics.decisions.count(product.introductoryOffer.reason)
            guard let jws = product.jws else { continue }
            signatureCounters[request.bundleId]?.countIntroductory(allowing: jws.allowIntroductoryOffer)
        }
        return answer
    }

    private func answer(
        _ request: IntroductorySignatureRequest,
        by signing: SigningApp,
        _ history: SharedHistory?,
        at moment: Timestamp
    ) throws(SignatureFault) -> IntroductorySignatureAnswer {
        guard let issuer = signing.issuer else { throw .issuerUnknown(bundleId: request.bundleId) }
        var policy = IntroductoryPolicy(
            app: signing.app,
            customer: Customer(account: request.account, sharing: history),
            now: moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: history),
            maximumHeldAgeSeconds: maximumEvidenceAgeSeconds
        )
        // Where the client names a transaction, none is looked for.
        let newest =
            request.transactionId == nil
            ? history.map { NewestTransactions($0.value, of: signing.app, for: request.account) } : nil
        var products: [SignedProductEligibility] = []
        products.reserveCapacity(request.products.count)
        for productId in request.products {
            let decision = metrics.rooms.measure(.decision) { policy.decide(productId, explaining: request.explain) }
            var jws: IntroductoryOfferEligibilityJWS?
            if let allows = Self.answer(decision, request, isInCatalog: signing.app.product(productId) != nil) {
                // What the evidence does not tell is unknown, and yet it names the customer unless it is another's.
                let isKnown = decision.verdict != .unknown || policy.isEvidenceOfCustomer(about: productId)
                let known = isKnown ? newest : nil
                guard let transactionId = Self.transactionId(of: request, known, productId, of: signing.app) else {
                    throw .transactionRequired
                }
                do throws(SigningFailure) {
                    jws = try metrics.rooms.measure(.signature) { () throws(SigningFailure) in
                        try IntroductoryOfferEligibilityJWS(
                            productId: productId,
                            allowIntroductoryOffer: allows,
                            transactionId: transactionId,
                            issuer: issuer,
                            timestamp: moment,
                            signer: signing.signer
                        )
                    }
                } catch {
                    throw .signing(error)
                }
            }
            products.append(SignedProductEligibility(productId: productId, introductoryOffer: decision, jws: jws))
        }
        return IntroductorySignatureAnswer(
            bundleId: request.bundleId,
            environment: history?.value.environment,
            account: request.account,
            products: products
        )
    }

    /// What is signed; `nil` for nothing.
    private static func answer(
        _ decision: IntroductoryDecision,
        _ request: IntroductorySignatureRequest,
        isInCatalog: Bool
    ) -> Bool? {
        guard isInCatalog else { return nil }
        guard request.allowIntroductoryOffer else { return false }
        switch decision.verdict {
        case .eligible: return true
        case .ineligible: return false
        case .unknown: return nil
        }
    }

    /// By which transaction the App Store knows the customer: the one that the client names, else the newest of the
    /// product's group, else any that the evidence has, else the one that the App Store was asked about.
    private static func transactionId(
        of request: IntroductorySignatureRequest,
        _ newest: NewestTransactions?,
        _ productId: String,
        of app: App
    ) -> String? {
        if let named = request.transactionId { return named }
        guard let newest else { return nil }
        let group = app.product(productId)?.group.id
        if let id = newest.identifier(inGroup: group) ?? newest.identifier(inGroup: nil) { return id }
        if case .question(.transactionId(let id)) = request.evidence { return id }
        return nil
    }
}

extension SignedProductEligibility {
    /// What the ledger keeps of the signature; `nil` where there is none.
    fileprivate var grant: OfferGrant? {
        jws.map { jws in
            OfferGrant(
                offer: OfferRequest(productId: productId, offerId: ""),
                reason: introductoryOffer.reason.rawValue,
                originalTransactionId: nil,
                signatures: [
                    OfferGrant.Signature(
                        form: jws.allowIntroductoryOffer ? .introductoryAllowed : .introductoryRefused,
                        keyIdentifier: jws.keyIdentifier,
                        nonce: jws.nonce,
                        timestamp: jws.issuedAt
                    )
                ]
            )
        }
    }
}
