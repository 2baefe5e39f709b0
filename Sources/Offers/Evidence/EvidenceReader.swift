/// Turns evidence that is at hand into the history that decisions read: the port to Apple's side that needs no network.
public protocol EvidenceReader: Sendable {
    /// Reads evidence.
    ///
    /// - Parameter evidence: The evidence as it came.
    /// - Returns: What it says of the customer.
    /// - Throws: ``EvidenceFault`` when it cannot be taken, and for a question, which an ``EvidenceFetcher`` asks.
    func history(from evidence: Evidence) throws(EvidenceFault) -> SubscriptionHistory
}
