/// The services of Apple that are asked about customers.
enum AppStoreService: String, CaseIterable, Hashable, Sendable {
    /// verifyReceipt (App Store Receipts).
    case verifyReceipt
    /// The App Store Server API.
    case serverAPI
}
