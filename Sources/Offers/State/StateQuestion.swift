/// What a decision asks the held state for.
public struct StateQuestion: Equatable, Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The account; `nil` for none.
    public let account: AccountDigest?
    /// The subscriptions that the evidence names.
    public let subscriptions: [SubscriptionIdentity]

    /// Asks.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - account: The account.
    ///   - subscriptions: The subscriptions that the evidence names.
    public init(bundleId: String, account: AccountDigest?, subscriptions: [SubscriptionIdentity] = []) {
        self.bundleId = bundleId
        self.account = account
        self.subscriptions = subscriptions
    }
}
