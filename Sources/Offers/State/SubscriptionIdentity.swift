/// A subscription's identity: the App Store's number for it, which is unique only within an app and an environment.
package struct SubscriptionIdentity: Hashable, Sendable {
    /// The app's bundle identifier.
    package let bundleId: String
    /// The environment that it was bought in.
    package let environment: AppStoreEnvironment
    /// The identifier of its first purchase.
    package let originalTransactionId: String

    /// Names a subscription.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment that it was bought in.
    ///   - originalTransactionId: The identifier of its first purchase.
    package init(bundleId: String, environment: AppStoreEnvironment, originalTransactionId: String) {
        self.bundleId = bundleId
        self.environment = environment
        self.originalTransactionId = originalTransactionId
    }
}

extension SubscriptionIdentity {
    /// Whether the identifier comes before another's, byte by byte, as databases compare them.
    ///
    /// - Parameter other: The other one, of the same app.
    /// - Returns: `true` when it does.
    package func isBefore(_ other: SubscriptionIdentity) -> Bool {
        guard originalTransactionId == other.originalTransactionId else {
            return originalTransactionId.utf8.lexicographicallyPrecedes(other.originalTransactionId.utf8)
        }
        return environment.rawValue < other.environment.rawValue
    }
}

extension HeldSubscription {
    /// The subscription under each of its identifiers, its own first.
    package var identities: [SubscriptionIdentity] {
        [identity] + linked.sorted().map { identity.with($0) }
    }
}

extension SubscriptionIdentity {
    /// The subscription of the same app and environment with another identifier.
    package func with(_ originalTransactionId: String) -> SubscriptionIdentity {
        SubscriptionIdentity(
            bundleId: bundleId,
            environment: environment,
            originalTransactionId: originalTransactionId
        )
    }
}
