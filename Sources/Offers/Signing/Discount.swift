/// A signed offer, from which the app builds an `SKPaymentDiscount` or StoreKit 2's `promotionalOffer` purchase option.
public struct Discount: Equatable, Sendable {
    /// How long Apple takes a signature after its timestamp, in seconds: 24 hours.
    public static let lifetimeSeconds: Int64 = 86400

    /// The promotional offer's identifier.
    public let identifier: String
    /// The identifier of the key that signed.
    public let keyIdentifier: String
    /// The one-time UUID that was signed.
    public let nonce: Nonce
    /// The moment that was signed.
    public let timestamp: Timestamp
    /// The signature, ASN.1 DER.
    ///
    /// Its Base64 text is what `SKPaymentDiscount` takes.
    public let signature: [UInt8]

    /// The moment from which Apple no longer takes it.
    public var expiresAt: Timestamp { timestamp.adding(seconds: Self.lifetimeSeconds) }

    /// Composes the payload and signs it.
    ///
    /// - Parameters:
    ///   - offerId: The promotional offer's identifier.
    ///   - productId: The product being bought.
    ///   - bundleId: The app's bundle identifier.
    ///   - account: The account that the client sets on the payment.
    ///   - nonce: The one-time UUID; a new one, unless said.
    ///   - timestamp: The moment of signing.
    ///   - signer: The app's signing key.
    /// - Throws: ``SigningFailure`` when nothing could be signed.
    public init(
        offerId: String,
        productId: String,
        bundleId: String,
        account: Account,
        nonce: Nonce = Nonce(),
        timestamp: Timestamp,
        signer: any ES256Signer
    ) throws(SigningFailure) {
        let payload: DiscountPayload
        do {
            payload = try DiscountPayload(
                bundleId: bundleId,
                keyIdentifier: signer.keyIdentifier,
                productId: productId,
                offerId: offerId,
                account: account,
                nonce: nonce,
                timestamp: timestamp
            )
        } catch {
            throw SigningFailure(keyIdentifier: signer.keyIdentifier, detail: "the \(error.rawValue) holds U+2063")
        }
        self.identifier = offerId
        self.keyIdentifier = signer.keyIdentifier
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = try signer.derSignature(over: payload.bytes.span)
    }
}
