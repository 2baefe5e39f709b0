package import Offers

/// An answer whose signatures have to be in the ledger before ``SignOffers/release(_:by:)`` lets them leave.
package final class PreparedAnswer: Sendable {
    /// The entry that the ledger has to record first; `nil` when nothing was signed.
    package let entry: LedgerEntry?

    private let answer: CustomerAnswer

    init(_ answer: CustomerAnswer, entry: LedgerEntry?) {
        self.answer = answer
        self.entry = entry
    }

    /// The answer, without the signatures that the ledger did not record: each leaves with its own record alone.
    func released(by outcomes: [GrantOutcome]) -> CustomerAnswer {
        guard let entry else { return answer }
        if outcomes.count == entry.grants.count, outcomes.allSatisfy({ $0 == .recorded }) { return answer }
        var grants = zip(entry.grants, outcomes).makeIterator()
        let decisions = answer.decisions.map { offer in
            guard offer.expiresAt != nil else { return offer }
            let (grant, outcome) = grants.next().map { ($0, $1) } ?? (nil, nil)
            if outcome == .recorded { return offer }
            let decision = grant.flatMap { grant in outcome.map { offer.decision.after($0, of: grant) } }
            return OfferAnswer(request: offer.request, decision: decision ?? offer.decision)
        }
        let products = answer.products.map { product in
            guard product.jws != nil, grants.next()?.1 != .recorded else { return product }
            return ProductAnswer(
                productId: product.productId,
                introductoryOffer: product.introductoryOffer,
                jws: nil,
                winBackOffers: product.winBackOffers
            )
        }
        return CustomerAnswer(
            request: answer.request,
            environment: answer.environment,
            isClockRight: answer.isClockRight,
            isAppStores: answer.isAppStores,
            decisions: decisions,
            products: products,
            winBackOffers: answer.winBackOffers
        )
    }
}
