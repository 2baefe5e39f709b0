public import Offers

/// An answer with signatures that have to be in the ledger before they may leave.
///
/// There is no way to its signatures but ``SignOffers/release(_:by:)``.
public final class PreparedAnswer: Sendable {
    /// What the ledger has to take first; `nil` when nothing was signed.
    public let entry: LedgerEntry?

    private let answer: SignatureAnswer

    init(_ answer: SignatureAnswer, entry: LedgerEntry?) {
        self.answer = answer
        self.entry = entry
    }

    /// The answer, once the ledger has spoken.
    func released(by outcomes: [GrantOutcome]) -> SignatureAnswer {
        guard let entry, outcomes.count != entry.grants.count || outcomes.contains(where: { $0 != .recorded }) else {
            return answer
        }
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

extension SignedDecision {
    /// The same offer with another decision, and without its signatures.
    fileprivate func without(_ decision: Decision) -> SignedDecision {
        SignedDecision(request: request, decision: decision, discount: nil, jws: nil)
    }
}
