/// The findings about a report.
public struct Diagnosis: Equatable, Sendable {
    /// Whether StoreKit has to take the signature for what it was given with it, as far as can be computed.
    public let isValid: Bool
    /// The causes, most likely first; empty when nothing is wrong and no error was reported.
    public let causes: [DiagnosisCause]

    /// Creates a diagnosis.
    ///
    /// - Parameters:
    ///   - isValid: Whether StoreKit has to take the signature.
    ///   - causes: The causes, most likely first.
    public init(isValid: Bool, causes: [DiagnosisCause]) {
        self.isValid = isValid
        self.causes = causes
    }
}

/// One cause of a refusal, in words for people.
public struct DiagnosisCause: Equatable, Sendable {
    /// The cause's name.
    public let code: DiagnosisCode
    /// The cause in one sentence.
    public let detail: String
    /// The fix in one sentence.
    public let fix: String

    /// Creates a cause.
    ///
    /// - Parameters:
    ///   - code: The cause's name.
    ///   - detail: The cause in one sentence.
    ///   - fix: The fix in one sentence.
    public init(_ code: DiagnosisCode, detail: String, fix: String) {
        self.code = code
        self.detail = detail
        self.fix = fix
    }
}

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

/// The public half of one of an app's keys: the port by which a report's signature is verified.
///
/// The signature is a stranger's bytes, so implementations use memory-safe code, never OpenSSL.
public protocol SignatureVerifier: Sendable {
    /// The key's identifier in App Store Connect.
    var keyIdentifier: String { get }

    /// Whether a signature is by this key.
    ///
    /// - Parameters:
    ///   - signature: The signature, DER or raw.
    ///   - message: The bytes that were signed, whole and unhashed.
    /// - Returns: Whether it is; `false` as well for what is no signature.
    func isSignature(_ signature: SignatureText.Form, over message: [UInt8]) -> Bool
}
