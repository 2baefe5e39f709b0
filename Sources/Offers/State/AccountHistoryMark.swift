/// That at a moment, all subscriptions of an account were told, so that one not held was not there.
///
/// Signed transactions never make one: they show what their sender chose.
public struct AccountHistoryMark: Equatable, Sendable {
    /// The account.
    public let account: AccountDigest
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environment that answered.
    public let environment: AppStoreEnvironment
    /// Apple's clock at that moment, and who said it.
    public let told: Held<Told>

    /// What is told by the mark itself.
    public struct Told: Equatable, Sendable {
        /// Creates it.
        public init() {}
    }

    /// Creates a mark.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment that answered.
    ///   - asOf: Apple's clock at that moment.
    ///   - source: Who said it.
    public init(
        account: AccountDigest,
        bundleId: String,
        environment: AppStoreEnvironment,
        asOf: Timestamp,
        source: StateSource
    ) {
        self.account = account
        self.bundleId = bundleId
        self.environment = environment
        told = Held(Told(), asOf: asOf, source: source)
    }

    /// The one of two marks of the same account that counts.
    ///
    /// - Parameter other: The other one.
    /// - Returns: The one that counts.
    public func orNewer(_ other: AccountHistoryMark) -> AccountHistoryMark {
        told.orNewer(other.told, isLess: { _, _ in false }) == told ? self : other
    }
}

extension AccountHistoryMark {
    /// Puts the mark among others of the same account, where it takes the place of an older one of its app and
    /// environment.
    ///
    /// - Parameter others: The others.
    /// - Returns: All marks that count.
    public func put(into others: [AccountHistoryMark]) -> [AccountHistoryMark] {
        var marks = others
        guard let index = marks.firstIndex(where: { $0.bundleId == bundleId && $0.environment == environment }) else {
            return marks + [self]
        }
        marks[index] = marks[index].orNewer(self)
        return marks
    }
}
