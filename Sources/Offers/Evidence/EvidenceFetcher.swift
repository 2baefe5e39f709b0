/// Asks the App Store: the port to Apple's side that goes over the network.
public protocol EvidenceFetcher: Sendable {
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
