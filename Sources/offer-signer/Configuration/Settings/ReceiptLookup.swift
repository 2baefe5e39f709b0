/// How a receipt is looked up; the raw values are those of `receipts` in `catalog.yaml`.
enum ReceiptLookup: String, CaseIterable, Sendable {
    /// By Apple's verifyReceipt.
    case verifyReceipt
    /// By the transaction in it, at the App Store Server API.
    case serverAPI
}
