/// A promotional offer signed as a compact JWS, for StoreKit 2's `promotionalOffer(_:compactJWS:)`.
///
/// The claims are Apple's: "Generating JWS to sign App Store requests". It has no `exp`: with one, the request fails.
public struct PromotionalOfferJWS: Equatable, Sendable {
    /// The compact JWS.
    public let compact: String
    /// The identifier of the key that signed.
    public let keyIdentifier: String
    /// The one-time UUID that was signed.
    public let nonce: Nonce
    /// The moment that was signed (`iat`), in whole seconds.
    public let issuedAt: Timestamp

    /// The moment from which it is no longer to be used.
    ///
    /// Apple does not say for how long it takes one: as long as the other form is assumed.
    public var expiresAt: Timestamp { issuedAt.adding(seconds: Discount.lifetimeSeconds) }

    /// Composes the claims and signs them.
    ///
    /// - Parameters:
    ///   - offerId: The promotional offer's identifier.
    ///   - productId: The product being bought.
    ///   - transactionId: A transaction of the customer, to whom the signature is bound then; `nil` where none is known.
    ///   - issuer: The app, with the issuer of its key.
    ///   - timestamp: The moment of signing.
    ///   - signer: The app's signing key.
    /// - Throws: ``SigningFailure`` when nothing could be signed.
    public init(
        offerId: String,
        productId: String,
        transactionId: String?,
        issuer: AppStoreRequestIssuer,
        timestamp: Timestamp,
        signer: any ES256Signer
    ) throws(SigningFailure) {
        var request = AppStoreRequest(audience: "promotional-offer", issuer: issuer, timestamp: timestamp)
        request.claims.add("productId", productId)
        request.claims.add("offerIdentifier", offerId)
        if let transactionId { request.claims.add("transactionId", transactionId) }
        compact = try JSONWebToken(request.claims, signer: signer).compact
        keyIdentifier = signer.keyIdentifier
        nonce = request.nonce
        issuedAt = request.issuedAt
    }
}
