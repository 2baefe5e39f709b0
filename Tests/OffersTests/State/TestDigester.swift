import Offers

/// A digest that anybody can compute: good enough for tests of what is done with digests.
struct TestDigester: AccountDigester {
    func digest(of text: String, bundleId: String) -> AccountDigest {
        var bytes = [UInt8](repeating: 0, count: 32)
        for (index, byte) in text.utf8.enumerated() { bytes[index % 32] = bytes[index % 32] &* 31 &+ byte }
        return AccountDigest(bytes)
    }
}

/// What is held after some histories were learnt, one after the other.
func held(_ lessons: [StateLesson]) -> HeldState {
    var subscriptions: [SubscriptionIdentity: HeldSubscription] = [:]
    var marks: [AccountHistoryMark] = []
    for lesson in lessons {
        for learnt in lesson.subscriptions {
            subscriptions[learnt.identity, default: learnt].merge(learnt)
        }
        if let mark = lesson.mark { marks = mark.put(into: marks) }
    }
    return HeldState(subscriptions: Array(subscriptions.values), marks: marks)
}

/// What is learnt from a history.
func lesson(
    _ history: SubscriptionHistory,
    _ source: StateSource = .signed,
    for account: Account = .none,
    at moment: Timestamp = clock
) -> StateLesson {
    StateLesson(history, from: source, presentedFor: account, digester: TestDigester(), learntAt: moment)
}

extension Account {
    static let alice = Account.applicationUsername("7e3fb20b-4cdb-47cc-936d-99d65f608138")
    static let bob = Account.applicationUsername("00000000-4cdb-47cc-936d-99d65f608138")

    var view: AccountView { AccountView(self, of: "com.example.reader", digester: TestDigester()) }
}
