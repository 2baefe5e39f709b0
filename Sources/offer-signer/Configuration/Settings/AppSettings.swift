import AppStore
import Offers

/// An app of `catalog.yaml`: what the domain needs to know of it, and what the rooms around it need.
struct AppSettings: Equatable, Sendable {
    /// What the app sells by promotional offer, and whose purchases count.
    let app: App
    /// The app's Apple ID, a positive number; `nil` when the catalog does not say.
    let appAppleId: Int64?
    /// The app's keys, at least one; the first signs, and has a `file`.
    let keys: [KeySettings]
    /// The shared secret for verifyReceipt; `nil` when there is none.
    let sharedSecret: SharedSecret?
    /// How a receipt is looked up.
    let receipts: ReceiptLookup
    /// How long Apple's answer to a question is kept for the same question, in seconds; 0 for not at all.
    let appStoreCacheSeconds: Int
}
