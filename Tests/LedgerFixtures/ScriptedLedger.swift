package import Offers
import Synchronization

/// A ledger in memory that says what a test tells it to.
package final class ScriptedLedger: SignatureLedger {
    private struct State {
        var entries: [LedgerEntry] = []
        var questions: [LedgerQuestion] = []
    }

    private let state = Mutex(State())
    private let answer: LedgerAnswer
    private let failure: StorageFailure?
    private let outcome: @Sendable (OfferGrant) -> GrantOutcome
    private let suspects: Set<String>
    private let isAtHand: Bool

    package init(
        answer: LedgerAnswer = LedgerAnswer(),
        failure: StorageFailure? = nil,
        suspects: Set<String> = [],
        isAtHand: Bool = false,
        outcome: @escaping @Sendable (OfferGrant) -> GrantOutcome = { _ in .recorded }
    ) {
        (self.answer, self.failure, self.suspects) = (answer, failure, suspects)
        (self.isAtHand, self.outcome) = (isAtHand, outcome)
    }

    package var entries: [LedgerEntry] { state.withLock { $0.entries } }
    package var questions: [LedgerQuestion] { state.withLock { $0.questions } }

    package func append(
        _ entries: [LedgerEntry],
        completion: @escaping @Sendable (_ places: [Int], Result<[[GrantOutcome]], StorageFailure>) -> Void
    ) {
        if let failure { return completion(Array(entries.indices), .failure(failure)) }
        state.withLock { $0.entries += entries }
        completion(Array(entries.indices), .success(entries.map { $0.grants.map(outcome) }))
    }

    /// Notes the question, and gives the scripted answer, where it may be asked without waiting.
    package func answerAtHand(to question: LedgerQuestion) -> LedgerAnswer? {
        guard isAtHand else { return nil }
        state.withLock { $0.questions.append(question) }
        return answer
    }

    package func isSuspect(_ subscription: SubscriptionIdentity) -> Bool {
        suspects.contains(subscription.originalTransactionId)
    }

    package func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer {
        if let failure { throw failure }
        state.withLock { $0.questions.append(question) }
        return answer
    }
}
