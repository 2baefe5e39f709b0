package import Offers

extension Journal: SubscriptionStates {
    /// What keeps what evidence has shown from being written, in a sentence; `nil` when nothing does.
    package var statesFault: String? {
        writer.failure.map { "state: \($0.detail); what evidence has shown waits to be written" }
    }

    /// What keeps state from being read, in a sentence; `nil` when nothing does, or has for less than a second.
    package var readFault: String? {
        writer.held.readFailure.map {
            "state: \($0.detail); nothing is signed until what is held of customers can be read"
        }
    }

    /// What of the evidence since the start was not stored, in a sentence; `nil` when all of it was.
    package var statesWarning: String? { writer.held.warning }

    /// How many subscriptions were held when they were counted last, and how long ago; `nil` before the first count is done.
    package var recentCount: (value: Int, age: Duration)? { writer.held.recentCount }

    package func atHand(_ questions: [StateQuestion]) -> [Book]? { writer.held.atHand(questions) }

    package func held(_ questions: [StateQuestion]) async -> [Result<Book, StorageFailure>] {
        await writer.held.held(questions)
    }

    package func learn(_ said: Book) {
        writer.held.add(said)
        writer.writeRidersSoon()
    }

    package func save(_ notification: NotificationRecord, _ said: Book) async throws(StorageFailure) -> Bool {
        let work = StateWork(notification: notification, observation: said)
        guard case .notification(let isNew) = try await outcome(of: .notification(work)) else {
            throw .malformed("outcome")
        }
        return isNew
    }
}

/// Held state that is only read, in a ledger that stays as it is.
package struct StoredStates: SubscriptionStates {
    private let store: StateStore

    /// The key is that of the ledger's digests.
    package init(in database: any SQLDatabase, digestKey: DigestKey) {
        // Nothing is written, and no time needed.
        store = StateStore(database, digestKey: digestKey) { Timestamp(millisecondsSince1970: 0) }
    }

    package func atHand(_ questions: [StateQuestion]) -> [Book]? {
        guard var held = try? store.heldAtOnce(questions) else { return nil }
        for index in questions.indices { held[index].leaveOut(beyond: questions[index]) }
        return held
    }

    package func held(_ questions: [StateQuestion]) async -> [Result<Book, StorageFailure>] {
        zip(questions, await store.held(questions)).map { question, answer in
            answer.map { held in
                var held = held
                held.leaveOut(beyond: question)
                return held
            }
        }
    }

    package func learn(_ said: Book) {}

    package func save(_ notification: NotificationRecord, _ said: Book) async throws(StorageFailure) -> Bool {
        throw StorageFailure(.closed, "the ledger was opened to be read")
    }
}
