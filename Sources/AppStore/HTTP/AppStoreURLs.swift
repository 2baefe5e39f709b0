import Offers

/// Where Apple's services are: each in production and in the Sandbox.
public struct AppStoreURLs: Sendable {
    /// verifyReceipt in production.
    public let verifyReceipt: String
    /// verifyReceipt in the Sandbox.
    public let sandboxVerifyReceipt: String
    /// The App Store Server API in production.
    public let serverAPI: String
    /// The App Store Server API in the Sandbox.
    public let sandboxServerAPI: String

    /// Creates the addresses: `https`, or `http` to this machine.
    ///
    /// - Parameters:
    ///   - verifyReceipt: verifyReceipt in production.
    ///   - sandboxVerifyReceipt: verifyReceipt in the Sandbox.
    ///   - serverAPI: The App Store Server API in production.
    ///   - sandboxServerAPI: The App Store Server API in the Sandbox.
    public init(verifyReceipt: String, sandboxVerifyReceipt: String, serverAPI: String, sandboxServerAPI: String) {
        self.verifyReceipt = verifyReceipt
        self.sandboxVerifyReceipt = sandboxVerifyReceipt
        self.serverAPI = Self.withoutSlash(serverAPI)
        self.sandboxServerAPI = Self.withoutSlash(sandboxServerAPI)
    }

    func verifyReceipt(in environment: AppStoreEnvironment) -> String {
        environment == .production ? verifyReceipt : sandboxVerifyReceipt
    }

    func serverAPI(in environment: AppStoreEnvironment) -> String {
        environment == .production ? serverAPI : sandboxServerAPI
    }

    private static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}
