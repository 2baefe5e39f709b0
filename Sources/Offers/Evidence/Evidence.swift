/// What a client sends to show what a customer has, as it came: to be read before it is believed.
public enum Evidence: Sendable {
    /// A verifyReceipt answer that the app's backend fetched: the text of one JSON object.
    case receiptResponse(json: [UInt8])

    /// The kind of the evidence.
    public var kind: EvidenceKind {
        switch self {
        case .receiptResponse: .receiptResponse
        }
    }
}
