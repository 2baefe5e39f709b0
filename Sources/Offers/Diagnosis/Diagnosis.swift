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
///
/// docs/diagnosis.md has the meaning of each, with an example and the fix.
package enum DiagnosisCode: String, CaseIterable, Sendable {
    case nonceUppercase = "nonce_uppercase"
    case timestampInSeconds = "timestamp_in_seconds"
    case timestampInMilliseconds = "timestamp_in_milliseconds"
    case accountCase = "account_case"
    case accountMissing = "account_missing"
    case accountUnexpected = "account_unexpected"
    case fieldUndefined = "field_undefined"
    case jwsMalformed = "jws_malformed"
    case jwsNotBase64URL = "jws_not_base64url"
    case jwsHeader = "jws_header"
    case jwsSignatureDER = "jws_signature_der"
    case jwsExpires = "jws_expires"
    case wrongAudience = "wrong_audience"
    case issuerMismatch = "issuer_mismatch"
    case signatureRawNotDER = "signature_raw_not_der"
    case signatureDoubleEncoded = "signature_double_encoded"
    case signatureURLEncoded = "signature_url_encoded"
    case signatureBase64URL = "signature_base64url"
    case signatureWrapped = "signature_wrapped"
    case signatureHex = "signature_hex"
    case signaturePEM = "signature_pem"
    case wrongHash = "wrong_hash"
    case wrongSeparator = "wrong_separator"
    case wrongFieldOrder = "wrong_field_order"
    case wrongKey = "wrong_key"
    case keyIdMismatch = "key_id_mismatch"
    case productMismatch = "product_mismatch"
    case offerMismatch = "offer_mismatch"
    case bundleMismatch = "bundle_mismatch"
    case transactionMismatch = "transaction_mismatch"
    case payloadDiffers = "payload_differs"
    case nonceReused = "nonce_reused"
    case signatureUsed = "signature_used"
    case timestampExpired = "timestamp_expired"
    case timestampInFuture = "timestamp_in_future"
    case offerNotInCatalog = "offer_not_in_catalog"
    case neverSubscribed = "never_subscribed"
    case offerNotApplied = "offer_not_applied"
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
