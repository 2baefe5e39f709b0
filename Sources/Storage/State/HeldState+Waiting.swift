import Offers

extension HeldState {
    /// Learns what waits to be written, as far as it was asked about.
    ///
    /// - Parameters:
    ///   - lessons: What waits, the oldest first.
    ///   - question: What was asked.
    mutating func learn(_ lessons: some Sequence<StateLesson>, for question: StateQuestion) {
        var places = HeldPlaces()
        places.note(subscriptions)
        for lesson in lessons {
            for learnt in lesson.subscriptions where learnt.identity.bundleId == question.bundleId {
                if let index = places.place(of: learnt.identity, in: subscriptions) {
                    let before = subscriptions[index]
                    subscriptions[index].merge(learnt)
                    if let account = question.account,
                        subscriptions[index].accountsLetGo(since: before).contains(account)
                    {
                        marks.removeAll { $0.environment == learnt.identity.environment }
                    }
                } else if question.account.map({ learnt.accounts[$0] != nil }) == true
                    || question.subscriptions.contains(learnt.identity)
                {
                    subscriptions.append(learnt)
                    places.note(subscriptions)
                }
            }
            if let mark = lesson.mark, mark.account == question.account, mark.bundleId == question.bundleId {
                marks = mark.put(into: marks)
            }
        }
    }
}

/// Where subscriptions are in a list that grows.
///
/// A few are looked at one after the other, which is the fastest. Of many a dictionary is made once: thousands of lessons
/// may wait, and the list is looked through under the lock that requests wait for.
struct HeldPlaces {
    /// How many are few.
    static let fewSubscriptions = 8

    /// The places; empty where the subscriptions are few.
    private var places: [SubscriptionIdentity: Int] = [:]

    /// Takes up what was appended since the last time.
    ///
    /// - Parameter subscriptions: The list, each subscription once.
    mutating func note(_ subscriptions: [HeldSubscription]) {
        guard subscriptions.count > Self.fewSubscriptions else { return }
        for index in places.count..<subscriptions.count { places[subscriptions[index].identity] = index }
    }

    /// Where a subscription is.
    ///
    /// - Parameters:
    ///   - identity: The subscription.
    ///   - subscriptions: The list, as it was noted.
    /// - Returns: Its place; `nil` when it is not there.
    func place(of identity: SubscriptionIdentity, in subscriptions: [HeldSubscription]) -> Int? {
        places.isEmpty ? subscriptions.firstIndex { $0.identity == identity } : places[identity]
    }
}
