import AppStore

/// Apple's addresses: `https`, or `http` on this machine for a stand-in.
struct AppStoreSettings: Equatable, Sendable {
    /// verifyReceipt in production.
    let verifyReceiptURL: String
    /// verifyReceipt in the Sandbox.
    let sandboxVerifyReceiptURL: String
    /// The App Store Server API in production.
    let serverAPIURL: String
    /// The App Store Server API in the Sandbox.
    let sandboxServerAPIURL: String
    /// How long a question may take, with all its attempts, in seconds.
    let timeoutSeconds: Int
    /// How often Apple is asked for one app in production, in requests a second.
    let requestsPerSecond: Int
    /// Roots trusted beside Apple's pinned one.
    let additionalRoots: [TrustedRoot]
}
