/// How old evidence may be.
struct EvidenceSettings: Equatable, Sendable {
    /// The age of verifyReceipt answers and of held state, in seconds; 0 for no limit.
    let maximumAgeSeconds: Int
    /// The age of StoreKit 2 JWS by their `signedDate`, in seconds; 0 for no limit.
    let signedTransactionMaximumAgeSeconds: Int
}
