package import Offers

extension Journal: RetentionLedger {
    /// The most counts that are read at once: it happens on an event loop that others wait for.
    private static let fewCounts = 16

    package func append(
        _ entries: [LedgerEntry],
        completion: @escaping @Sendable (_ places: [Int], Result<[[GrantOutcome]], StorageFailure>) -> Void
    ) {
        group.append(entries.map(JournalEntry.signatures)) { places, result in
            completion(places, result.map { $0.map(\.grants) })
        }
    }

    package func append(
        _ entry: LedgerEntry,
        until moment: ContinuousClock.Instant
    ) async throws(StorageFailure) -> [GrantOutcome] {
        try await outcome(of: .signatures(entry), until: moment).grants
    }

    /// Appends an entry alone, and waits for its outcome; a notification or a report is patient.
    func outcome(
        of entry: JournalEntry,
        until moment: ContinuousClock.Instant? = nil
    ) async throws(StorageFailure) -> JournalOutcome {
        let result = await withCheckedContinuation { continuation in
            group.append([entry], until: moment, isPatient: moment == nil) { continuation.resume(returning: $1) }
        }
        guard let outcome = try result.get().first else { throw .malformed("outcome") }
        return outcome
    }

    package func storedAnswer(to call: AnsweredCall, at now: Timestamp) -> Step<GrantOutcome?, StorageFailure> {
        store.storedAnswer(to: call, at: now)
    }

    package func answer(to question: LedgerQuestion) async throws(StorageFailure) -> LedgerAnswer {
        try await store.answer(to: question)
    }

    /// Counts for a customer at once, if there are few counts and they can be read without waiting; else `nil`.
    package func answerAtHand(to question: LedgerQuestion) -> LedgerAnswer? {
        guard question.offers.count + question.originalTransactionIds.count <= Self.fewCounts else { return nil }
        return try? store.answerAtOnce(to: question)
    }

    package func isSuspect(_ subscription: SubscriptionIdentity) -> Bool {
        writer.shared.contains(
            PresentedSubscription(
                bundleId: subscription.bundleId,
                environment: subscription.environment.rawValue,
                originalTransactionId: subscription.originalTransactionId
            )
        )
    }
}

extension JournalOutcome {
    fileprivate var grants: [GrantOutcome] { if case .signatures(let grants) = self { grants } else { [] } }
}
