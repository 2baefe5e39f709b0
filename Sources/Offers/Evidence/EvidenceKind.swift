/// The kinds of evidence that a request can carry; the raw values are the members of its `evidence` object.
public enum EvidenceKind: String, CaseIterable, Sendable {
    /// A verifyReceipt answer that the app's backend fetched.
    case receiptResponse
    /// A receipt, for the service to ask verifyReceipt about.
    case receipt
    /// StoreKit 2 transactions signed by the App Store (JWS).
    case signedTransactions
    /// A transaction id, for the service to ask the App Store Server API about.
    case transactionId
}
