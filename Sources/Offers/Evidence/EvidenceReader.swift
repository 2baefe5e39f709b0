/// Turns evidence into the history that decisions read: the port to Apple's side.
public protocol EvidenceReader: Sendable {
    /// Reads evidence.
    ///
    /// - Parameter evidence: The evidence as it came.
    /// - Returns: What it says of the customer.
    /// - Throws: ``EvidenceFault`` when it cannot be taken.
    func history(from evidence: Evidence) throws(EvidenceFault) -> SubscriptionHistory
}
