package import Offers
import Synchronization

/// The state of subscriptions in memory.
package final class InMemorySubscriptionStates: SubscriptionStates {
    private struct Contents {
        var subscriptions: [SubscriptionIdentity: HeldSubscription] = [:]
        var byAccount: [AccountDigest: Set<SubscriptionIdentity>] = [:]
        var marks: [AccountDigest: [AccountHistoryMark]] = [:]
        var notifications: Set<String> = []

        mutating func learn(_ observation: StateObservation) {
            for seen in observation.subscriptions {
                let before = subscriptions[seen.identity]
                var held = before ?? seen
                held.merge(seen)
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

    package func atHand(_ questions: [StateQuestion]) -> [HeldState]? { questions.map(held) }

    package func held(_ questions: [StateQuestion]) -> [Result<HeldState, StorageFailure>] {
        questions.map { .success(held($0)) }
    }

    private func held(_ question: StateQuestion) -> HeldState {
        contents.withLock { contents in
            let ofAccount = question.account.flatMap { contents.byAccount[$0] } ?? []
            var identities = ofAccount.filter { $0.bundleId == question.bundleId }.union(question.subscriptions)
            for _ in 0..<HeldSubscription.mostLinked {
                identities.formUnion(identities.flatMap { contents.subscriptions[$0]?.identities ?? [] })
            }
            let marks = question.account.flatMap { contents.marks[$0] } ?? []
            var state = HeldState(
                subscriptions: identities.compactMap { contents.subscriptions[$0] },
                marks: marks.filter { $0.bundleId == question.bundleId }
            )
            state.leaveOut(beyond: question)
            return state
        }
    }

    package func learn(_ observation: StateObservation) { contents.withLock { $0.learn(observation) } }

    package func keep(_ notification: NotificationRecord, _ observation: StateObservation) -> Bool {
        contents.withLock { contents in
            let isNew = contents.notifications.insert(notification.id).inserted
            if isNew || notification.countsAgain { contents.learn(observation) }
            return isNew
        }
    }

    package func forget(_ account: AccountDigest) -> Int {
        contents.withLock { contents in
            contents.marks[account] = nil
            let identities = contents.byAccount.removeValue(forKey: account) ?? []
            for identity in identities {
                guard let held = contents.subscriptions[identity] else { continue }
                let rest = held.forgetting(account)
                contents.subscriptions[identity] = rest
                guard rest == nil else { continue }
                for other in held.accounts.keys { contents.byAccount[other]?.remove(identity) }
            }
            return identities.count
        }
    }
}
