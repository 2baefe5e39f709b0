import Offers

/// A digest that anybody can compute: good enough for tests of what is done with digests.
struct TestDigester: AccountDigester {
    func digest(of text: String, bundleId: String) -> AccountDigest {
        var bytes = [UInt8](repeating: 0, count: 32)
        for (index, byte) in text.utf8.enumerated() { bytes[index % 32] = bytes[index % 32] &* 31 &+ byte }
        return AccountDigest(bytes)
    }
}

/// What is held after some histories were seen, one after the other.
func held(_ observations: [StateObservation]) -> HeldState {
    var subscriptions: [SubscriptionIdentity: HeldSubscription] = [:]
    var marks: [AccountHistoryMark] = []
    for observation in observations {
        for seen in observation.subscriptions { subscriptions[seen.identity, default: seen].merge(seen) }
        if let mark = observation.mark(beside: { subscriptions[$0] }) { marks = mark.put(into: marks) }
    }
    return HeldState(subscriptions: Array(subscriptions.values), marks: marks)
}

/// What is remembered of a history of Apple's.
func observation(
    _ history: SubscriptionHistory,
    for account: Account = .none,
    at moment: Timestamp = clock
) -> StateObservation {
    StateObservation(history, presentedFor: account, digester: TestDigester(), at: moment)
}

/// What is remembered of a history that a client showed.
func shown(_ history: SubscriptionHistory, for account: Account = .none) -> StateObservation {
    StateObservation(redemptionsIn: history, shownFor: account, digester: TestDigester())
}

extension Account {
    static let alice = Account.applicationUsername("7e3fb20b-4cdb-47cc-936d-99d65f608138")
    static let bob = Account.applicationUsername("00000000-4cdb-47cc-936d-99d65f608138")

    var view: AccountView { AccountView(self, of: "com.example.reader", digester: TestDigester()) }
}

func identity(_ id: String) -> SubscriptionIdentity {
    SubscriptionIdentity(bundleId: "com.example.reader", environment: .production, originalTransactionId: id)
}

/// What is held of an account, without evidence; `nil` where nothing is.
func alone(
    _ observations: [StateObservation],
    for account: Account = .alice,
    of app: App = exampleApp(environments: [.production, .sandbox])
) -> SubscriptionHistory? {
    SubscriptionHistory(held: held(observations), of: app, for: account.view)
}

/// Evidence with what is held of Alice.
func updated(
    _ evidence: SubscriptionHistory,
    by observations: [StateObservation],
    isApples: Bool = true
) -> SubscriptionHistory {
    var state = held(observations)
    if isApples { state.leaveOutRedemptions(in: evidence) }
    return evidence.updated(by: state, for: Account.alice.view)
}

/// The reason of a decision about one offer.
func decide(
    _ history: SubscriptionHistory?,
    _ offer: String = "anyone",
    for account: Account = .alice,
    product: String = "pro.monthly",
    limit: Int64 = 86_400,
    at now: Timestamp = clock
) -> Reason {
    let app = exampleApp(environments: [.production, .sandbox])
    var policy = examplePolicy(history, for: account, of: app, maximumAge: limit, at: now)
    return policy.decide(OfferRequest(productId: product, offerId: offer)).reason
}
