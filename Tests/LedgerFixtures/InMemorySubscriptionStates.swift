package import Offers
import Synchronization

/// The state of subscriptions in memory.
package final class InMemorySubscriptionStates: SubscriptionStates {
    private struct Contents {
        var subscriptions: [SubscriptionIdentity: Chapter] = [:]
        var byAccount: [AccountDigest: Set<SubscriptionIdentity>] = [:]
        var marks: [AccountDigest: [AccountHistoryMark]] = [:]
        var notifications: Set<String> = []

        mutating func learn(_ observation: Book) {
            for seen in observation.chapters {
                let before = subscriptions[seen.identity]
                let held = before?.joining(seen) ?? seen
                subscriptions[seen.identity] = held
                for gone in held.accountsLetGo(since: before) {
                    byAccount[gone]?.remove(seen.identity)
                    marks[gone]?.removeAll {
                        $0.bundleId == seen.identity.bundleId && $0.environment == seen.identity.environment
                    }
                }
                for account in held.accounts.keys { byAccount[account, default: []].insert(seen.identity) }
            }
            guard let mark = observation.mark(beside: { subscriptions[$0] }) else { return }
            marks[mark.account] = mark.put(into: marks[mark.account] ?? [])
        }
    }

    private let contents = Mutex(Contents())

    package init() {}

    package func atHand(_ questions: [StateQuestion]) -> [Book]? { questions.map(held) }

    package func held(_ questions: [StateQuestion]) -> [Result<Book, StorageFailure>] {
        questions.map { .success(held($0)) }
    }

    private func held(_ question: StateQuestion) -> Book {
        contents.withLock { contents in
            let ofAccount = question.account.flatMap { contents.byAccount[$0] } ?? []
            var identities = ofAccount.filter { $0.bundleId == question.bundleId }.union(question.subscriptions)
            for _ in 0..<Chapter.mostLinked {
                identities.formUnion(identities.flatMap { contents.subscriptions[$0]?.identities ?? [] })
            }
            let marks = question.account.flatMap { contents.marks[$0] } ?? []
            var state = Book(
                chapters: identities.compactMap { contents.subscriptions[$0] },
                marks: marks.filter { $0.bundleId == question.bundleId }
            )
            state.leaveOut(beyond: question)
            return state
        }
    }

    package func learn(_ observation: Book) { contents.withLock { $0.learn(observation) } }

    package func save(_ notification: NotificationRecord, _ observation: Book) -> Bool {
        contents.withLock { contents in
            let isNew = contents.notifications.insert(notification.id).inserted
            if isNew || notification.countsAgain { contents.learn(observation) }
            return isNew
        }
    }
}
