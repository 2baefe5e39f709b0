public import Offers

/// An app of the catalog together with the key that signs for it.
public struct SigningApp<Signer: OfferSigner>: Sendable {
    /// The app.
    public let app: App
    /// Its signing key: the first of its keys in the catalog.
    public let signer: Signer

    /// Creates the pair.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - signer: Its signing key.
    public init(app: App, signer: Signer) {
        self.app = app
        self.signer = signer
    }
}
