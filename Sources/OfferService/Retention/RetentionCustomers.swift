package import Offers

/// An app with rules for customers who are about to cancel.
package struct RetentionApp: Sendable {
    package let signing: SigningApp
    package let rules: [RetentionRule]

    package init(_ signing: SigningApp, rules: [RetentionRule]) {
        self.signing = signing
        self.rules = rules
    }
}

/// Finds customers by their subscriptions in held state alone: the App Store is never asked.
package struct RetentionCustomers: Sendable {
    private let memory: StateMemory
    var draw: (any HoldoutDraw)? { memory.draw }

    package init(memory: StateMemory) {
        self.memory = memory
    }

    package func customer(
        of subscription: SubscriptionIdentity,
        in app: App
    ) async throws(StorageFailure) -> RetentionCustomer {
        let question = StateQuestion(bundleId: app.bundleId, account: nil, subscriptions: [subscription])
        let customer = RetentionCustomer(subscription, in: try await held(question), of: app)
        // Redemptions of the account's other subscriptions count, too, where redemptions are counted.
        guard let account = customer.account, app.countsRedemptions else { return customer }
        let others = try await held(StateQuestion(bundleId: app.bundleId, account: account))
        return customer.redeeming(by: others, beside: subscription)
    }

    private func held(_ question: StateQuestion) async throws(StorageFailure) -> Book {
        if let held = memory.states.atHand(question) { return held }
        return try await memory.states.held(question)
    }
}
