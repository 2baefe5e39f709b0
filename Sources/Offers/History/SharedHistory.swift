/// A history that nobody changes any more, as a reference: a request hands it on many times, and a copy of all that is in
/// it would take as long as a rule.
public final class SharedHistory: Sendable {
    /// The history.
    public let value: SubscriptionHistory

    /// Shares a history.
    ///
    /// - Parameter value: The history.
    public init(_ value: SubscriptionHistory) {
        self.value = value
    }
}
