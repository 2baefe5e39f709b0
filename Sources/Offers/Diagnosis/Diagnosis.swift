/// The findings about a report.
package struct Diagnosis: Equatable, Sendable {
    /// Whether the signature is right for what StoreKit was given with it, as far as can be computed.
    package let isValid: Bool
    /// The causes, most likely first; empty when nothing is wrong and no error was reported.
    package let causes: [DiagnosisCause]

    package init(isValid: Bool, causes: [DiagnosisCause]) {
        self.isValid = isValid
        self.causes = causes
    }
}

/// One cause of a refusal, in words for people.
package struct DiagnosisCause: Equatable, Sendable {
    package let code: DiagnosisCode
    /// The value that was seen, and the one that was to be there.
    package let detail: String
    /// The fix in one sentence.
    package let fix: String

    package init(_ code: DiagnosisCode, detail: String, fix: String) {
        self.code = code
        self.detail = detail
        self.fix = fix
    }
}

extension [DiagnosisCause] {
    /// The causes, each once, in the order of their codes: most likely first.
    var likeliestFirst: [DiagnosisCause] {
        var causes: [DiagnosisCause] = []
        for code in DiagnosisCode.allCases {
            for cause in self where cause.code == code && !causes.contains(cause) { causes.append(cause) }
        }
        return causes
    }
}

/// Why StoreKit refuses a signature, or gives no offer for it: most likely first where several are found.
package enum DiagnosisCode: String, CaseIterable, Sendable {
    case nonceUppercase = "nonce_uppercase"
    /// In the payload or in the call of StoreKit.
    case timestampInSeconds = "timestamp_in_seconds"
    /// The `iat` of a JWS is in milliseconds.
    case timestampInMilliseconds = "timestamp_in_milliseconds"
    case accountCase = "account_case"
    /// The payment has an account; the payload has none, or a word in its place.
    case accountMissing = "account_missing"
    /// The payload has an account, and the payment has none.
    case accountUnexpected = "account_unexpected"
    /// A field or claim is empty, missing, or a word such as `undefined`.
    case fieldUndefined = "field_undefined"
    case jwsMalformed = "jws_malformed"
    /// A part of the JWS is in another alphabet than base64url, or has padding.
    case jwsNotBase64URL = "jws_not_base64url"
    case jwsHeader = "jws_header"
    /// The signature of the JWS is DER, where the raw r‖s is due.
    case jwsSignatureDER = "jws_signature_der"
    case jwsExpires = "jws_expires"
    case wrongAudience = "wrong_audience"
    case issuerMismatch = "issuer_mismatch"
    /// The signature is the raw r‖s, where DER is due.
    case signatureRawNotDER = "signature_raw_not_der"
    case signatureDoubleEncoded = "signature_double_encoded"
    case signatureURLEncoded = "signature_url_encoded"
    /// The signature is in base64url, or lacks its padding.
    case signatureBase64URL = "signature_base64url"
    /// The text of the signature has line breaks, blanks or quotes.
    case signatureWrapped = "signature_wrapped"
    case signatureHex = "signature_hex"
    case signaturePEM = "signature_pem"
    case wrongHash = "wrong_hash"
    /// The fields are joined by something else than U+2063, or it also follows the last of them.
    case wrongSeparator = "wrong_separator"
    /// The fields are in another order, or one is left out.
    case wrongFieldOrder = "wrong_field_order"
    /// Another key of the app signed than the key identifier names.
    case wrongKey = "wrong_key"
    /// The payload carries another of the app's key identifiers.
    case keyIdMismatch = "key_id_mismatch"
    case productMismatch = "product_mismatch"
    case offerMismatch = "offer_mismatch"
    /// Another app was signed, or its identifier in another case.
    case bundleMismatch = "bundle_mismatch"
    /// A transaction was signed that nothing shows to be the customer's.
    case transactionMismatch = "transaction_mismatch"
    /// The payload differs in a way that has no code of its own.
    case payloadDiffers = "payload_differs"
    case nonceReused = "nonce_reused"
    /// The timestamp that was signed, or the one that StoreKit was given, is older than 24 hours.
    case timestampExpired = "timestamp_expired"
    case timestampInFuture = "timestamp_in_future"
    case offerNotInCatalog = "offer_not_in_catalog"
    case neverSubscribed = "never_subscribed"
    /// All is right, and the purchase has no offer.
    case offerNotApplied = "offer_not_applied"
    /// No cause that can be computed explains it.
    case unexplained
}

/// The public half of one of an app's keys: the port by which a report's signature is verified.
///
/// The signature is a stranger's bytes, so implementations use memory-safe code, never OpenSSL.
package protocol SignatureVerifier: Sendable {
    var keyIdentifier: String { get }

    /// Whether a signature over a whole message, not yet hashed, is by this key; `false` as well for what is no signature.
    func isSignature(_ signature: SignatureText.Form, over message: [UInt8], hashedBy hash: SignedHash) -> Bool
}

/// How a message was hashed before it was signed: rightly, or as backends do by mistake, the likeliest first.
package enum SignedHash: String, CaseIterable, Sendable {
    /// The digest that Apple asks for.
    case sha256 = "SHA-256"
    /// The SHA-256 of the SHA-256: a digest was handed to a function that hashes by itself.
    case sha256Twice = "SHA-256 twice"
    case sha512 = "SHA-512"
    case sha1 = "SHA-1"
    case sha384 = "SHA-384"
    /// The SHA-256 of the SHA-256's hexadecimal text.
    case sha256OfHexadecimal = "SHA-256 of the SHA-256 in hexadecimal"
    case sha3 = "SHA3-256"
    case md5 = "MD5"
}
