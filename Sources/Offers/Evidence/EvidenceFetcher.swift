/// Asks the App Store: the port to Apple's side that goes over the network.
public protocol EvidenceFetcher: Sendable {
    /// What Apple said of a customer a short while ago, without asking again.
    ///
    /// - Parameters:
    ///   - question: What would be asked about.
    ///   - bundleId: The app that is asked for.
    ///   - needsWholeHistory: Whether every transaction counts, not the newest ones alone.
    /// - Returns: What Apple said; `nil` when it has to be asked, by ``history(answering:for:needsWholeHistory:)``.
    func keptHistory(
        answering question: AppStoreQuestion,
        for bundleId: String,
        needsWholeHistory: Bool
    ) -> SubscriptionHistory?

    /// Asks about a customer.
    ///
    /// - Parameters:
    ///   - question: What to ask about.
    ///   - bundleId: The app that is asked for, by whose credentials Apple is asked.
    ///   - needsWholeHistory: Whether every transaction counts, not the newest ones alone.
    /// - Returns: What Apple says of the customer.
    /// - Throws: ``EvidenceFault`` when Apple knows no such thing, or gives no answer in time.
    func history(
        answering question: AppStoreQuestion,
        for bundleId: String,
        needsWholeHistory: Bool
    ) async throws(EvidenceFault) -> SubscriptionHistory
}

extension EvidenceFetcher {
    /// Nothing is kept, unless somebody does.
    public func keptHistory(
        answering question: AppStoreQuestion,
        for bundleId: String,
        needsWholeHistory: Bool
    ) -> SubscriptionHistory? { nil }
}
