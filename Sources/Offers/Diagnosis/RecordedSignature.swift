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
    /// The offer; empty for an introductory offer.
    public let offerId: String
    /// The account.
    public let account: SignedAccount
    /// The moment that was signed.
    public let timestamp: Timestamp
    /// Whether it is the `discount` form; `nil` where that is not known.
    public let isDiscount: Bool?
    /// The subscription of the customer by which it was decided; `nil` where there was none.
    public let originalTransactionId: String?

    /// Creates the description of a signature.
    ///
    /// - Parameters:
    ///   - client: The client that asked for it.
    ///   - bundleId: The app's bundle identifier.
    ///   - keyIdentifier: The identifier of the key that signed.
    ///   - productId: The product.
    ///   - offerId: The offer; empty for an introductory offer.
    ///   - account: The account.
    ///   - timestamp: The moment that was signed.
    ///   - isDiscount: Whether it is the `discount` form.
    ///   - originalTransactionId: The subscription of the customer by which it was decided.
    public init(
        client: String,
        bundleId: String,
        keyIdentifier: String,
        productId: String,
        offerId: String,
        account: SignedAccount,
        timestamp: Timestamp,
        isDiscount: Bool? = nil,
        originalTransactionId: String? = nil
    ) {
        self.client = client
        self.bundleId = bundleId
        self.keyIdentifier = keyIdentifier
        self.productId = productId
        self.offerId = offerId
        self.account = account
        self.timestamp = timestamp
        self.isDiscount = isDiscount
        self.originalTransactionId = originalTransactionId
    }

    /// The offer that was signed.
    var offer: OfferRequest { OfferRequest(productId: productId, offerId: offerId) }
}

/// Finds what was signed: the port to the ledger for diagnoses.
public protocol SignatureRecall: Sendable {
    /// The signature with a nonce.
    ///
    /// - Parameters:
    ///   - nonce: The nonce in lowercase.
    ///   - accounts: The accounts that may have been signed: others are known by digests alone.
    /// - Returns: The signature; `nil` when none is on record, or the ledger cannot be read.
    func signature(nonce: String, accounts: [Account]) async -> RecordedSignature?
}
