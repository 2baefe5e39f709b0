public import Offers

/// Reads every kind of evidence that comes from the App Store.
public struct AppStoreEvidenceReader: EvidenceReader {
    /// Creates a reader.
    public init() {}

    /// Reads evidence.
    ///
    /// - Parameter evidence: The evidence as it came.
    /// - Returns: What it says of the customer.
    /// - Throws: `EvidenceFault` when it cannot be taken.
    public func history(from evidence: Evidence) throws(EvidenceFault) -> SubscriptionHistory {
        switch evidence {
        case .receiptResponse(let json):
            try VerifyReceiptResponse(json: json).history()
        }
    }
}
