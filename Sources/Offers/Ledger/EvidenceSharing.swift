/// When evidence counts as shared: one original transaction presented for more accounts than the catalog allows.
///
/// The real abuse is one leaked transaction replayed for thousands of accounts. The account that genuine evidence names
/// is never counted, and never refused.
public enum EvidenceSharing {
    /// The period within which accounts are counted, in days of 24 hours.
    public static let periodDays = 30
    /// How many accounts may use a transaction where the catalog does not say.
    public static let defaultMaximumAccounts = 3

    /// From when on presentations count.
    ///
    /// - Parameter now: The server's clock.
    /// - Returns: The moment after which they count.
    public static func start(at now: Timestamp) -> Timestamp { now.adding(days: -periodDays) }
}
