public import Offers

/// Why a ``SignatureRequest`` has no answer at all.
///
/// One bad offer is no fault: it gets a decision.
public enum SignatureFault: Error, Equatable {
    /// The catalog does not have the app.
    case unknownApp(bundleId: String)
    /// The catalog asks for an account, and the request names none.
    case accountRequired
    /// The evidence cannot be taken.
    case evidence(EvidenceFault)
    /// The key did not sign.
    case signing(SigningFailure)
}
