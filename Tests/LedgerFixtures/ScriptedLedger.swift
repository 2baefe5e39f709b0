public import Offers
import Synchronization

/// A ledger in memory that says what a test tells it to.
public final class ScriptedLedger: SignatureLedger {
    private struct State {
        var entries: [LedgerEntry] = []
        var questions: [LedgerQuestion] = []
    }

    private let state = Mutex(State())
    private let standing: LedgerStanding
    private let failure: LedgerFailure?
    private let outcome: @Sendable (OfferGrant) -> GrantOutcome

    /// Creates the ledger.
    ///
    /// - Parameters:
    ///   - standing: What it holds of every customer.
    ///   - failure: Why it takes and tells nothing.
    ///   - outcome: What becomes of a grant; it is recorded unless said otherwise.
    public init(
        standing: LedgerStanding = LedgerStanding(),
        failure: LedgerFailure? = nil,
        outcome: @escaping @Sendable (OfferGrant) -> GrantOutcome = { _ in .recorded }
    ) {
        self.standing = standing
        self.failure = failure
        self.outcome = outcome
    }

    /// What was appended.
    public var entries: [LedgerEntry] { state.withLock { $0.entries } }
    /// What was asked.
    public var questions: [LedgerQuestion] { state.withLock { $0.questions } }

    /// Notes the entries, and says what it was told to say.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - completion: Called at once.
    public func append(
        _ entries: [LedgerEntry],
        completion: @escaping @Sendable (Result<[[GrantOutcome]], LedgerFailure>) -> Void
    ) {
        if let failure { return completion(.failure(failure)) }
        state.withLock { $0.entries += entries }
        completion(.success(entries.map { $0.grants.map(outcome) }))
    }

    /// Notes the question, and says what it was told to say.
    ///
    /// - Parameter question: The question.
    /// - Returns: The standing.
    /// - Throws: The failure that it was told of.
    public func standing(of question: LedgerQuestion) async throws(LedgerFailure) -> LedgerStanding {
        if let failure { throw failure }
        state.withLock { $0.questions.append(question) }
        return standing
    }
}
