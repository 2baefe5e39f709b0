package import Offers

/// An answer whose signatures have to be in the ledger before they may leave.
///
/// ``SignOffers/release(_:by:)`` is the only way to the signatures.
package final class PreparedAnswer<Answer: Sendable>: Sendable {
    /// The entry that the ledger has to take first; `nil` when nothing was signed.
    package let entry: LedgerEntry?

    private let answer: Answer

    init(_ answer: Answer, entry: LedgerEntry?) {
        self.answer = answer
        self.entry = entry
    }

    /// Whether every signature is on record.
    private func isRecorded(by outcomes: [GrantOutcome]) -> Bool {
        guard let entry else { return true }
        return outcomes.count == entry.grants.count && outcomes.allSatisfy { $0 == .recorded }
    }
}

extension PreparedAnswer where Answer == SignatureAnswer {
    /// The answer, without the signatures that the ledger did not take.
    func released(by outcomes: [GrantOutcome]) -> SignatureAnswer {
        guard let entry, !isRecorded(by: outcomes) else { return answer }
        var grants = zip(entry.grants, outcomes).makeIterator()
        let decisions = answer.decisions.map { decision in
            guard decision.expiresAt != nil else { return decision }
            guard let (grant, outcome) = grants.next() else { return decision.without(decision.decision) }
            return outcome == .recorded ? decision : decision.without(decision.decision.after(outcome, of: grant))
        }
        return SignatureAnswer(
            bundleId: answer.bundleId,
            environment: answer.environment,
            account: answer.account,
            decisions: decisions
        )
    }
}

extension PreparedAnswer where Answer == IntroductorySignatureAnswer {
    /// The answer, without any signature unless the ledger took all of them.
    func released(by outcomes: [GrantOutcome]) -> IntroductorySignatureAnswer {
        guard !isRecorded(by: outcomes) else { return answer }
        return IntroductorySignatureAnswer(
            bundleId: answer.bundleId,
            environment: answer.environment,
            account: answer.account,
            products: answer.products.map {
                SignedProductEligibility(productId: $0.productId, introductoryOffer: $0.introductoryOffer, jws: nil)
            }
        )
    }
}

extension SignedDecision {
    /// The same offer with another decision, and without its signatures.
    fileprivate func without(_ decision: Decision) -> SignedDecision {
        SignedDecision(request: request, decision: decision, discount: nil, jws: nil)
    }
}
