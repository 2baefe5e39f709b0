public import Offers

/// Why a ``SignatureRequest`` has no answer at all.
///
/// One bad offer is no fault: it gets a decision.
public enum SignatureFault: Error, Equatable {
    /// The catalog does not have the app.
    case unknownApp(bundleId: String)
    /// The catalog asks for an account, and the request names none.
    case accountRequired
    /// A JWS was asked for, and the catalog does not name the issuer of the app's key.
    case issuerUnknown(bundleId: String)
    /// An introductory offer's JWS has to name a transaction of the customer, and none is known.
    case transactionRequired
    /// The evidence cannot be taken.
    case evidence(EvidenceFault)
    /// The key did not sign.
    case signing(SigningFailure)
    /// The ledger did not take the signatures, or did not tell what it holds: none leaves.
    case ledger(StorageFailure)
    /// The request was given up while somebody was waited for: nothing is signed.
    case givenUp
}
