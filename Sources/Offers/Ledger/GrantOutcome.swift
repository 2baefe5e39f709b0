/// What became of a grant in the ledger.
public enum GrantOutcome: Equatable, Sendable {
    /// Its signatures are on durable storage: they may leave.
    case recorded
    /// The customer has as many signatures of the offer as the catalog allows; with how many there are.
    case signatureLimit(count: Int)
    /// The subscription was presented for as many other customers as the catalog allows; with how many there are.
    case evidenceShared(others: Int)
}
