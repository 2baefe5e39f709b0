public import Offers

/// An app of the catalog together with the key that signs for it.
///
/// It is a class so that handing it on copies nothing.
public final class SigningApp: Sendable {
    /// The app.
    public let app: App
    /// Its signing key: the first of its keys in the catalog.
    public let signer: any ES256Signer
    /// In whose name App Store requests (JWS) are signed; `nil` when the catalog does not name the key's issuer.
    public let issuer: AppStoreRequestIssuer?

    /// Creates the pair.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - signer: Its signing key.
    ///   - issuerId: The key's issuer in App Store Connect; `nil` when the catalog does not name it.
    public init(app: App, signer: any ES256Signer, issuerId: String? = nil) {
        self.app = app
        self.signer = signer
        issuer = issuerId.map { AppStoreRequestIssuer(bundleId: app.bundleId, issuerId: $0) }
    }
}
