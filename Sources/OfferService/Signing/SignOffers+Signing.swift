package import Offers

/// Signs decided requests, and gives out recorded signatures.
extension SignOffers {
    /// Signs the offers that the customer may have, if signatures were asked for; when one cannot be signed, none is.
    ///
    /// A key in a token has begun when this returns, and the signatures are waited for.
    package func sign(_ decided: Decided) throws(SignatureFault) -> Step<PreparedAnswer, SignatureFault> {
        let signer = decided.customer.signing.signer
        let isClockRight = try isClockRight(for: decided.request)
        do throws(SigningFailure) {
            guard signer.hasThreads, decided.isSigned else {
                return .now(try sign(decided, by: signer, isClockRight))
            }
            let step = try signer.work { (signer) throws(SigningFailure) in
                try self.sign(decided, by: signer, isClockRight)
            }
            return .later { () throws(SignatureFault) in
                do throws(SigningFailure) {
                    return try await step.value()
                } catch {
                    throw .signing(error)
                }
            }
        } catch {
            throw .signing(error)
        }
    }

    private func sign(
        _ decided: Decided,
        by signer: any ES256Signer,
        _ isClockRight: Bool
    ) throws(SigningFailure) -> PreparedAnswer {
        let (request, customer) = (decided.request, decided.customer)
        let (signing, decisions) = (customer.signing, decided.decisions)
        let app = signing.app
        var policy = decided.policy
        let winsBack = if case .eligibility = request.kind { true } else { false }
        var answered: [OfferAnswer] = []
        answered.reserveCapacity(decisions.count)
        var products: [ProductAnswer] = []
        products.reserveCapacity(decided.products.count)
        var grants: [OfferGrant] = []
        grants.reserveCapacity(request.signatureCount)
        let stamp = OfferStamp(
            signing: signing,
            account: request.account,
            formats: request.formats,
            purchases: decided.purchases.map { NewestTransactions($0, of: app) },
            moment: customer.moment,
            stages: metrics.stages,
            signer: signer
        )
        for (offer, decision) in zip(decided.offers, decisions) {
            let answer =
                request.trial == nil
                ? try stamp.signed(offer, decision)
                : OfferAnswer(request: offer, decision: decision, signatures: policy.signatures(of: offer))
            answered.append(answer)
            let signatures = answer.recorded
            if !signatures.isEmpty {
                grants.append(policy.grant(of: offer, decision.reason, signatures: signatures))
            }
        }
        for product in decided.products {
            let jws = try product.jws(by: stamp)
            let answer = ProductAnswer(
                productId: product.id,
                introductoryOffer: product.decision,
                jws: jws,
                winBackOffers: winsBack ? policy.winBackOffers(inGroups: app.groups(ofProducts: [product.id])) : []
            )
            products.append(answer)
            if let grant = answer.grant { grants.append(grant) }
        }
        let asked = winsBack ? Set(decided.offers.map(\.productId) + request.products) : []
        let answer = CustomerAnswer(
            request: request,
            environment: policy.environment,
            isClockRight: isClockRight,
            isAppStores: customer.source == .appStore,
            decisions: answered,
            products: products,
            winBackOffers: winsBack ? policy.winBackOffers(inGroups: app.groups(ofProducts: asked)) : []
        )
        guard !grants.isEmpty else { return PreparedAnswer(answer, entry: nil) }
        let entry = LedgerEntry(
            time: customer.moment,
            client: request.client,
            bundleId: request.bundleId,
            environment: answer.environment,
            evidence: request.evidence?.kind,
            account: request.account,
            customer: request.account.customer(by: app.customerSeparator),
            grants: grants,
            answer: request.idempotency.map { [grants] idempotency in
                KeptAnswer(call: .client(idempotency.call)) { idempotency.write(answer.released(grants, by: $0)) }
            }
        )
        return PreparedAnswer(answer, entry: entry)
    }

    /// The answer, which may leave, without refused signatures; the outcomes are those of its entry's grants, in order.
    package func release(_ prepared: PreparedAnswer, by outcomes: [GrantOutcome]) -> CustomerAnswer {
        let answer = prepared.released(by: outcomes)
        let request = answer.request
        let counters = signatureCounters[request.bundleId]
        if let decisionLog, let app = apps[request.bundleId]?.app { decisionLog.log(answer, of: app) }
        for offer in answer.decisions {
            metrics.decisions.count(
                CountedDecision(
                    offer.decision.reason,
                    of: offer.request,
                    bundleId: request.bundleId,
                    environment: answer.environment,
                    call: request.signatureCount > 0 ? .signatures : .eligibility
                )
            )
            if let drawn = offer.decision.drawn {
                metrics.holdouts?.record(
                    HoldoutCustomer(drawn, bundleId: request.bundleId, environment: answer.environment)
                )
            }
            if offer.discount != nil { counters?.count(offer.request.offerId, as: .discount) }
            if offer.jws != nil { counters?.count(offer.request.offerId, as: .jws) }
        }
        for product in answer.products {
            metrics.decisions.count(product.introductoryOffer.reason)
            if let jws = product.jws { counters?.countIntroductory(allowing: jws.allowIntroductoryOffer) }
        }
        return answer
    }
}

extension SignOffers.Decided {
    package var signatureCount: Int { request.signatureCount }

    /// Whether anything is signed.
    fileprivate var isSigned: Bool {
        products.contains { $0.claim != nil }
            || !request.formats.isEmpty && decisions.contains { $0.verdict == .eligible }
    }

    /// The purchases to name in a JWS: where the decision looked at them, and something is signed.
    fileprivate var purchases: Book? {
        guard request.formats.contains(.jws), !skipsEligibility, decisions.contains(where: { $0.verdict == .eligible })
        else { return nil }
        return policy.book
    }
}

extension OfferAnswer {
    /// The signatures as the ledger describes them.
    fileprivate var recorded: [OfferGrant.Signature] {
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
