package import Offers

/// An app whose customers are shown something when they are about to cancel.
package struct RetentionApp: Sendable {
    /// The app with its key.
    package let signing: SigningApp
    /// The rules for messages and offers.
    package let rules: RetentionRules

    /// Creates it.
    ///
    /// - Parameters:
    ///   - signing: The app with its key.
    ///   - rules: The rules for messages and offers.
    package init(_ signing: SigningApp, rules: RetentionRules) {
        self.signing = signing
        self.rules = rules
    }
}

/// Looks customers up by their subscriptions, in what is remembered alone: the App Store is never asked.
package struct RetentionCustomers: Sendable {
    private let memory: StateMemory

    /// Creates it.
    ///
    /// - Parameter memory: What the service remembers.
    package init(memory: StateMemory) {
        self.memory = memory
    }

    /// Looks a customer up.
    ///
    /// - Parameters:
    ///   - subscription: The subscription.
    ///   - app: The app.
    /// - Returns: The customer.
    /// - Throws: `StorageFailure` when what is remembered cannot be read.
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

    private func held(_ question: StateQuestion) async throws(StorageFailure) -> HeldState {
        if let held = memory.states.atHand(question) { return held }
        return try await memory.states.held(question)
    }
}
