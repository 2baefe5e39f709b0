/// The rooms that a request for signatures goes through, one after another: where its time is spent.
public enum Room: String, CaseIterable, Sendable {
    /// Reading the body; once a request.
    case decode
    /// Reading the evidence, or asking the App Store; once a request.
    case evidence
    /// Deciding; once an offer.
    case decision
    /// Signing; once an offer that is signed.
    case signature
    /// Waiting until the ledger has it; once a request.
    case ledger
    /// Writing the answer; once a request.
    case encode
}
