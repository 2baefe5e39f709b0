/// Counts decisions about offers: plain synchronous calls, which never wait.
public protocol OfferTally: Sendable {
    /// Counts a decision.
    ///
    /// - Parameter decision: The decision.
    func count(_ decision: CountedDecision)
}
