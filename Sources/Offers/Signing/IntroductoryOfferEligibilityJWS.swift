/// Whether a customer may have a product's introductory offer, signed as a compact JWS, for StoreKit 2's
/// `introductoryOfferEligibility(compactJWS:)`.
///
/// The App Store obeys it: it gives the offer to who has used one before, and keeps it from who has not. The claims are
/// Apple's: "Generating JWS to sign App Store requests".
public struct IntroductoryOfferEligibilityJWS: Equatable, Sendable {
    /// The compact JWS.
    public let compact: String
    /// The identifier of the key that signed.
    public let keyIdentifier: String
    /// The one-time UUID that was signed.
    public let nonce: Nonce
    /// The moment that was signed (`iat`), in whole seconds.
    public let issuedAt: Timestamp
    /// Whether the customer may have the offer.
    public let allowIntroductoryOffer: Bool
    /// The transaction by which the App Store knows the customer.
    public let transactionId: String

    /// The moment from which it is no longer to be used.
    ///
    /// Apple does not say for how long it takes one: as long as a promotional offer is assumed.
    public var expiresAt: Timestamp { issuedAt.adding(seconds: Discount.lifetimeSeconds) }

    /// Composes the claims and signs them.
    ///
    /// - Parameters:
    ///   - productId: The product being bought.
    ///   - allowIntroductoryOffer: Whether the customer may have its introductory offer.
    ///   - transactionId: Any transaction of the customer, or the `appTransactionId`.
    ///   - issuer: The app, with the issuer of its key.
    ///   - timestamp: The moment of signing.
    ///   - signer: The app's signing key.
    /// - Throws: ``SigningFailure`` when nothing could be signed.
    public init(
        productId: String,
        allowIntroductoryOffer: Bool,
        transactionId: String,
        issuer: AppStoreRequestIssuer,
        timestamp: Timestamp,
        signer: any ES256Signer
    ) throws(SigningFailure) {
        var request = AppStoreRequest(audience: "introductory-offer-eligibility", issuer: issuer, timestamp: timestamp)
        request.claims.add("productId", productId)
        request.claims.add("allowIntroductoryOffer", allowIntroductoryOffer)
        request.claims.add("transactionId", transactionId)
        compact = try JSONWebToken(request.claims, signer: signer).compact
        keyIdentifier = signer.keyIdentifier
        nonce = request.nonce
        issuedAt = request.issuedAt
        self.allowIntroductoryOffer = allowIntroductoryOffer
        self.transactionId = transactionId
    }
}
