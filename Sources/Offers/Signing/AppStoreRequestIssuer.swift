/// In whose name App Store requests are signed.
public struct AppStoreRequestIssuer: Equatable, Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The issuer of the app's key in App Store Connect, a UUID.
    public let issuerId: String

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - issuerId: The issuer of the app's key in App Store Connect.
    public init(bundleId: String, issuerId: String) {
        self.bundleId = bundleId
        self.issuerId = issuerId
    }
}
