/// Why StoreKit refuses a signature, most likely first where several are found.
public enum DiagnosisCode: String, CaseIterable, Sendable {
    /// The payload has the nonce in upper case.
    case nonceUppercase = "nonce_uppercase"
    /// The timestamp is in seconds, in the payload or in the call of StoreKit.
    case timestampInSeconds = "timestamp_in_seconds"
    /// The account is the same but for its case.
    case accountCase = "account_case"
    /// The payment has an account, and the payload has none, or a word in its place.
    case accountMissing = "account_missing"
    /// The payment has no account, and the payload has one.
    case accountUnexpected = "account_unexpected"
    /// The signature is the raw r‖s, where DER is due.
    case signatureRawNotDER = "signature_raw_not_der"
    /// The signature was Base64-encoded twice.
    case signatureDoubleEncoded = "signature_double_encoded"
    /// The signature was URL-encoded, or is in base64url.
    case signatureURLEncoded = "signature_url_encoded"
    /// The fields of the payload are joined by something else than U+2063, or it follows the last of them, too.
    case wrongSeparator = "wrong_separator"
    /// The fields of the payload are in another order, or one is left out, or empty.
    case wrongFieldOrder = "wrong_field_order"
    /// Another key of the app signed than the key identifier names.
    case wrongKey = "wrong_key"
    /// The payload carries another of the app's key identifiers.
    case keyIdMismatch = "key_id_mismatch"
    /// The payload is for another product.
    case productMismatch = "product_mismatch"
    /// The payload is for another offer.
    case offerMismatch = "offer_mismatch"
    /// The payload is for another app, or has the bundle identifier in another case.
    case bundleMismatch = "bundle_mismatch"
    /// The timestamp that was signed, or the one that was given, is older than 24 hours.
    case timestampExpired = "timestamp_expired"
    /// The timestamp that was signed, or the one that was given, is ahead of the clock.
    case timestampInFuture = "timestamp_in_future"
    /// The catalog has no such offer on the product.
    case offerNotInCatalog = "offer_not_in_catalog"
    /// The customer never had a subscription.
    case neverSubscribed = "never_subscribed"
    /// Nothing that can be computed explains it.
    case unexplained
}
