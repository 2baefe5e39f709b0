/// A form in which an offer is signed.
public enum SignatureFormat: String, Codable, Sendable {
    /// For `SKPaymentDiscount`, and for StoreKit 2's `promotionalOffer(offerID:keyID:nonce:signature:timestamp:)`.
    case discount
    /// For StoreKit 2's `compactJWS:`.
    case jws
}
