/// What a client sends to show what a customer has, as it came: to be read before it is believed.
public enum Evidence: Sendable {
    /// A verifyReceipt answer that the app's backend fetched: the text of one JSON object.
    case receiptResponse(json: [UInt8])
    /// StoreKit 2 transactions and renewal infos that the App Store signed: each a compact JWS.
    case signedTransactions([String], renewalInfos: [String])
    /// What the App Store has to be asked about.
    case question(AppStoreQuestion)

    /// The kind of the evidence.
    public var kind: EvidenceKind {
        switch self {
        case .receiptResponse: .receiptResponse
        case .signedTransactions: .signedTransactions
        case .question(.receipt): .receipt
        case .question(.transactionId): .transactionId
        }
    }
}
