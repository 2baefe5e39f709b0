/// What the ledger knows of a signature that left the service, found by its nonce.
public struct RecordedSignature: Equatable, Sendable {
    /// The account that was signed, as far as a digest tells.
    public enum SignedAccount: Equatable, Sendable {
        /// None.
        case none
        /// One of those that were asked about.
        case known(Account)
        /// Another one.
        case other
    }

    /// The client that asked for it.
    public let client: String
    /// The app's bundle identifier.
    public let bundleId: String
    /// The identifier of the key that signed.
    public let keyIdentifier: String
    /// The product.
    public let productId: String
    /// The offer.
    public let offerId: String
    /// The account.
    public let account: SignedAccount
    /// The moment that was signed.
    public let timestamp: Timestamp

    /// Creates the description of a signature.
    ///
    /// - Parameters:
    ///   - client: The client that asked for it.
    ///   - bundleId: The app's bundle identifier.
    ///   - keyIdentifier: The identifier of the key that signed.
    ///   - productId: The product.
    ///   - offerId: The offer.
    ///   - account: The account.
    ///   - timestamp: The moment that was signed.
    public init(
        client: String,
        bundleId: String,
        keyIdentifier: String,
        productId: String,
        offerId: String,
        account: SignedAccount,
        timestamp: Timestamp
    ) {
        self.client = client
        self.bundleId = bundleId
        self.keyIdentifier = keyIdentifier
        self.productId = productId
        self.offerId = offerId
        self.account = account
        self.timestamp = timestamp
    }

    /// The offer that was signed.
    var offer: OfferRequest { OfferRequest(productId: productId, offerId: offerId) }
}
