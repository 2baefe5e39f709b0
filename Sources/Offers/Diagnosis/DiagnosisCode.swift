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

extension DiagnosisCode {
    /// The fix in one sentence; where it depends on what was found, a cause has another one.
    var fix: String {
        switch self {
        case .nonceUppercase: "Lowercase the UUID's text before signing; Swift's uuidString is in upper case."
        case .timestampInSeconds: "Sign and hand on milliseconds since 1970, the same number in both places."
        case .timestampInMilliseconds: "Write seconds since 1970 into iat; only the discount form has milliseconds."
        case .accountCase:
            "Sign an appAccountToken in lowercase, and an applicationUsername exactly as the app sets it."
        case .accountMissing: "Sign the account that the app sets on the payment, or set none."
        case .accountUnexpected:
            "Sign the account of the payment; if it has none, leave the field empty between its separators."
        case .fieldUndefined: "Read the field from the request before signing, and refuse a request that lacks it."
        case .jwsMalformed:
            "Hand on the JWS as it was signed: header, claims and signature in base64url, with dots between them."
        case .jwsNotBase64URL:
            "Encode each part in base64url without padding (RFC 7515), and hand the JWS on with nothing around it."
        case .jwsHeader:
            #"Write the header {"alg":"ES256","kid":KEY_ID,"typ":"JWT"}, with the id of the key that signs."#
        case .jwsSignatureDER:
            "Write r and s as 32 bytes each, one after the other; a library for JWT does that by itself."
        case .jwsExpires: "Leave the claim out: the request fails with it, and Apple ends it by its iat."
        case .wrongAudience:
            "Sign with the audience of the purchase option that the JWS is for: promotional-offer or "
                + "introductory-offer-eligibility."
        case .issuerMismatch:
            "Write the issuer id that App Store Connect shows above the list of In-App Purchase keys into iss."
        case .signatureRawNotDER: "Encode the signature as ASN.1 DER; only the JWS format takes it raw."
        case .signatureDoubleEncoded: "Encode the DER once; some libraries return Base64 already."
        case .signatureURLEncoded:
            "Hand on standard Base64 in a JSON string, and decode what came in a URL or a form once."
        case .signatureBase64URL: "Hand on standard Base64, with + and /, and with its padding."
        case .signatureWrapped: "Hand on the Base64 in one line, with nothing before it and nothing after it."
        case .signatureHex: "Encode the DER in standard Base64, not in hexadecimal."
        case .signaturePEM: "Hand on the Base64 between the lines alone, in one line."
        case .wrongHash:
            "Sign the payload's bytes with ECDSA and SHA-256, and leave the hashing to the function that signs."
        case .wrongSeparator: "Join the seven fields with the character U+2063 INVISIBLE SEPARATOR, in UTF-8 E2 81 A3."
        case .wrongFieldOrder:
            "Join bundle id, key id, product id, offer id, account, nonce and timestamp, in this order, an empty "
                + "account included."
        case .wrongKey: "Put the identifier of the key that signs into kid, or sign with the key that kid names."
        case .keyIdMismatch: "Put the key id that StoreKit is given into the payload."
        case .productMismatch: "Sign the product that the payment buys."
        case .offerMismatch: "Sign the offer whose identifier StoreKit is given."
        case .bundleMismatch: "Sign the bundle id of the app that buys, in its exact case, with a key of that app."
        case .transactionMismatch:
            "Sign a transaction of the customer who buys, of this app and environment, or its appTransactionId."
        case .payloadDiffers:
            "Sign the very bytes that StoreKit composes of the values that it is given, in UTF-8, and nothing else"
        case .nonceReused: "Make a new random UUID for every signature, and use each signature for one purchase."
        case .signatureUsed:
            "Ask for a new signature for each purchase: StoreKit takes one once. If the customer has bought once, "
                + "nothing is wrong."
        case .timestampExpired: "Ask for a signature when the customer is about to buy, and use it once."
        case .timestampInFuture: "Set the clock of the machine that signs, and count in the unit that Apple asks for."
        case .offerNotInCatalog: "Compare both with App Store Connect, and add the offer to the catalog."
        case .neverSubscribed: "Offer the introductory price instead."
        case .offerNotApplied: "Check that the app hands the JWS to the purchase, and that the offer is live."
        case .unexplained: "Check that the catalog lists the key that signed, and that its P8 file is whole."
        }
    }
}
