package import Offers

/// An answer whose signatures have to be in the ledger before ``SignOffers/release(_:by:)`` lets them leave.
package final class PreparedAnswer: Sendable {
    /// The entry that the ledger has to record first; `nil` when nothing was signed.
    package let entry: LedgerEntry?

    private let answer: CustomerAnswer

    /// `nil` where the request has no `Idempotency-Key`.
    package var idempotentCall: IdempotentCall? { answer.request.idempotency?.call }

    init(_ answer: CustomerAnswer, entry: LedgerEntry?) {
        self.answer = answer
        self.entry = entry
    }

    /// The answer, without the signatures that the ledger did not record: each leaves with its own record alone.
    func released(by outcomes: [GrantOutcome]) -> CustomerAnswer {
        entry.map { answer.released($0.grants, by: outcomes) } ?? answer
    }
}

extension CustomerAnswer {
    /// The same without the signatures of the grants that were not recorded.
    func released(_ grants: [OfferGrant], by outcomes: [GrantOutcome]) -> CustomerAnswer {
        if outcomes.count == grants.count, outcomes.allSatisfy({ $0 == .recorded }) { return self }
        var grants = zip(grants, outcomes).makeIterator()
        let decisions = decisions.map { offer in
            guard offer.expiresAt != nil else { return offer }
            let (grant, outcome) = grants.next().map { ($0, $1) } ?? (nil, nil)
            if outcome == .recorded { return offer }
            let decision = grant.flatMap { grant in outcome.map { offer.decision.after($0, of: grant) } }
            return OfferAnswer(request: offer.request, decision: decision ?? offer.decision)
        }
        let products = products.map { product in
            guard product.jws != nil, grants.next()?.1 != .recorded else { return product }
            return ProductAnswer(
                productId: product.productId,
                introductoryOffer: product.introductoryOffer,
                jws: nil,
                winBackOffers: product.winBackOffers
            )
        }
        return CustomerAnswer(
            request: request,
            environment: environment,
            isClockRight: isClockRight,
            isAppStores: isAppStores,
            decisions: decisions,
            products: products,
            winBackOffers: winBackOffers
        )
    }
}
