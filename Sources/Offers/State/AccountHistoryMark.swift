/// That Apple once spoke of all subscriptions of an account, so that one not held was not there.
///
/// Signed transactions never make one: they show what their sender chose.
public struct AccountHistoryMark: Equatable, Sendable {
    /// The account.
    public let account: AccountDigest
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environment that answered.
    public let environment: AppStoreEnvironment
    /// Apple's clock at that moment.
    public let asOf: Timestamp

    /// Creates a mark.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment that answered.
    ///   - asOf: Apple's clock at that moment.
    public init(account: AccountDigest, bundleId: String, environment: AppStoreEnvironment, asOf: Timestamp) {
        self.account = account
        self.bundleId = bundleId
        self.environment = environment
        self.asOf = asOf
    }

    /// Puts the mark among others of the same account, where it takes the place of an older one of its app and
    /// environment.
    ///
    /// - Parameter others: The others.
    /// - Returns: All marks that count.
    public func put(into others: [AccountHistoryMark]) -> [AccountHistoryMark] {
        guard let index = others.firstIndex(where: { $0.bundleId == bundleId && $0.environment == environment }) else {
            return others + [self]
        }
        guard others[index].asOf < asOf else { return others }
        var marks = others
        marks[index] = self
        return marks
    }
}
