/// The App Store's number for a subscription, which is unique only within an app and an environment.
package struct SubscriptionIdentity: Hashable, Sendable {
    package let bundleId: String
    /// The environment that it was bought in.
    package let environment: AppStoreEnvironment
    /// The identifier of its first purchase.
    package let originalTransactionId: String

    package init(bundleId: String, environment: AppStoreEnvironment, originalTransactionId: String) {
        self.bundleId = bundleId
        self.environment = environment
        self.originalTransactionId = originalTransactionId
    }

    package func with(_ originalTransactionId: String) -> SubscriptionIdentity {
        SubscriptionIdentity(
            bundleId: bundleId,
            environment: environment,
            originalTransactionId: originalTransactionId
        )
    }

    /// Byte by byte, as databases compare them, of identities of one app.
    package func isBefore(_ other: SubscriptionIdentity) -> Bool {
        guard originalTransactionId == other.originalTransactionId else {
            return originalTransactionId.utf8.lexicographicallyPrecedes(other.originalTransactionId.utf8)
        }
        return environment.rawValue < other.environment.rawValue
    }
}

extension Chapter {
    /// The subscription under each of its identifiers, its own first.
    package var identities: [SubscriptionIdentity] {
        [identity] + linked.sorted().map { identity.with($0) }
    }
}
