import FoundationEssentials

/// A JSON Web Token (RFC 7519) that an app's key has signed with ES256: a compact JWS (RFC 7515 §7.1).
package struct JSONWebToken: Equatable, Sendable {
    /// Header, claims and signature in base64url, joined by dots.
    package let compact: String

    /// The header names the algorithm, the key and the type, as Apple asks for ("Generating JWS to sign App Store
    /// requests").
    package init(_ claims: Claims, signer: any ES256Signer) throws(SigningFailure) {
        var header = Claims()
        header.add("alg", "ES256")
        header.add("kid", signer.keyIdentifier)
        header.add("typ", "JWT")
        var text = Self.base64URL(header.json)
        text.append(UInt8(ascii: "."))
        text += Self.base64URL(claims.json)
        let signature = try signer.rawSignature(over: text.span)
        text.append(UInt8(ascii: "."))
        text += Self.base64URL(signature)
        compact = String(decoding: text, as: UTF8.self)
    }

    /// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
    private static func base64URL(_ bytes: [UInt8]) -> [UInt8] {
        var text = Array(Data(bytes).base64EncodedData())
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
            default: break
            }
        }
        return text
    }
}

extension JSONWebToken {
    /// The members of a token's header or payload, in the order in which they are added.
    ///
    /// Each name may be added once.
    package struct Claims: Sendable {
        private var members: [UInt8] = []

        package init() {
            members.reserveCapacity(384)
        }

        package mutating func add(_ name: String, _ value: String) {
            addName(name)
            addText(value)
        }

        package mutating func add(_ name: String, _ value: Int64) {
            addName(name)
            members += Array(String(value).utf8)
        }

        package mutating func add(_ name: String, _ value: Bool) {
            addName(name)
            members += Array(value ? "true".utf8 : "false".utf8)
        }

        /// One JSON object in UTF-8.
        var json: [UInt8] { [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")] }

        private mutating func addName(_ name: String) {
            if !members.isEmpty { members.append(UInt8(ascii: ",")) }
            addText(name)
            members.append(UInt8(ascii: ":"))
        }

        /// Writes a string, with the escapes that RFC 8259 §7 asks for and no others.
        private mutating func addText(_ text: String) {
            members.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): members += [UInt8(ascii: "\\"), byte]
                case 0..<0x20:
                    let digits = String(byte, radix: 16)
                    members += Array("\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8)
                default: members.append(byte)
                }
            }
            members.append(UInt8(ascii: "\""))
        }
    }
}

/// A promotional offer signed as a compact JWS, for StoreKit 2's `promotionalOffer(_:compactJWS:)`.
///
/// The claims are Apple's: "Generating JWS to sign App Store requests". It has no `exp`: with one, the request fails.
package struct PromotionalOfferJWS: Equatable, Sendable {
    package let compact: String
    package let keyIdentifier: String
    package let nonce: Nonce
    /// `iat`, in whole seconds.
    package let issuedAt: Timestamp

    /// The moment from which it is no longer to be used.
    ///
    /// Apple does not say for how long it takes one: as long as the other form is assumed.
    package var expiresAt: Timestamp { issuedAt.adding(seconds: Discount.lifetimeSeconds) }

    /// A transaction of the customer binds the signature to them; `nil` if none is known.
    package init(
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

/// Whether a customer may have a product's introductory offer, signed as a compact JWS, for StoreKit 2's
/// `introductoryOfferEligibility(compactJWS:)`.
///
/// The App Store obeys it, whether or not the customer has used one before. The claims are Apple's: "Generating JWS to
/// sign App Store requests".
package struct IntroductoryOfferEligibilityJWS: Equatable, Sendable {
    package let compact: String
    package let keyIdentifier: String
    package let nonce: Nonce
    /// `iat`, in whole seconds.
    package let issuedAt: Timestamp
    package let allowIntroductoryOffer: Bool
    /// The transaction by which the App Store knows the customer.
    package let transactionId: String

    /// As of a ``PromotionalOfferJWS``: Apple does not say it of this one either.
    package var expiresAt: Timestamp { issuedAt.adding(seconds: Discount.lifetimeSeconds) }

    /// The transaction is any of the customer's, or the `appTransactionId`.
    package init(
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

/// The claims of every App Store request, whatever it asks for.
struct AppStoreRequest {
    var claims: JSONWebToken.Claims
    let nonce: Nonce
    let issuedAt: Timestamp

    init(audience: String, issuer: AppStoreRequestIssuer, timestamp: Timestamp) {
        let nonce = Nonce()
        // `iat` counts in seconds (RFC 7519 §4.1.6), where the other form counts in milliseconds.
        let seconds = timestamp.millisecondsSince1970 / 1000
        claims = JSONWebToken.Claims()
        claims.add("iss", issuer.issuerId)
        claims.add("iat", seconds)
        claims.add("aud", audience)
        claims.add("bid", issuer.bundleId)
        claims.add("nonce", nonce.text)
        self.nonce = nonce
        issuedAt = Timestamp(millisecondsSince1970: 0).adding(seconds: seconds)
    }
}

package struct AppStoreRequestIssuer: Equatable, Sendable {
    package let bundleId: String
    /// The issuer of the app's key in App Store Connect, a UUID.
    package let issuerId: String

    package init(bundleId: String, issuerId: String) {
        self.bundleId = bundleId
        self.issuerId = issuerId
    }
}
