/// Which subscription is meant: the App Store's number for it, which tells one only within an app and an environment.
public struct SubscriptionIdentity: Hashable, Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environment that it was bought in.
    public let environment: AppStoreEnvironment
    /// The identifier of its first purchase.
    public let originalTransactionId: String

    /// Names a subscription.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment that it was bought in.
    ///   - originalTransactionId: The identifier of its first purchase.
    public init(bundleId: String, environment: AppStoreEnvironment, originalTransactionId: String) {
        self.bundleId = bundleId
        self.environment = environment
        self.originalTransactionId = originalTransactionId
    }
}
