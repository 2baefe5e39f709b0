/// What a client sends to show what a customer has, as it came: to be read before it is believed.
public enum Evidence: Sendable {
    /// A verifyReceipt answer that the app's backend fetched: the text of one JSON object.
    case receiptResponse(EvidenceText)
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

    /// A verifyReceipt answer that is all of a text.
    ///
    /// - Parameter json: The text of one JSON object.
    /// - Returns: The evidence.
    public static func receiptResponse(json: [UInt8]) -> Evidence {
        .receiptResponse(EvidenceText(json, in: json.indices))
    }
}

/// Evidence where it lies in the body that brought it, so that nobody copies it.
public struct EvidenceText: Sendable {
    /// The body.
    public let bytes: [UInt8]
    /// Where in it the evidence is.
    public let range: Range<Int>

    /// Names the evidence in a body.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - range: Where in it the evidence is.
    public init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }
}
