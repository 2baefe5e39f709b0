import FoundationEssentials

/// A JSON Web Token (RFC 7519) that an app's key has signed with ES256: a compact JWS (RFC 7515 §7.1).
package struct JSONWebToken: Equatable, Sendable {
    /// Its text: header, claims and signature in base64url, joined by dots.
    package let compact: String

    /// Signs claims.
    ///
    /// The header names the algorithm, the key and the type, as Apple asks for
    /// ("Generating JWS to sign App Store requests").
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - signer: The key.
    /// - Throws: ``SigningFailure`` when the key cannot sign. Nothing was signed then.
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
    package struct Claims: Sendable {
        private var members: [UInt8] = []

        /// Creates an empty set of claims.
        package init() {
            members.reserveCapacity(384)
        }

        /// Adds a claim that is a string.
        ///
        /// - Parameters:
        ///   - name: The claim's name, one that was not added before.
        ///   - value: Its value.
        package mutating func add(_ name: String, _ value: String) {
            addName(name)
            addText(value)
        }

        /// Adds a claim that is a whole number.
        ///
        /// - Parameters:
        ///   - name: The claim's name, one that was not added before.
        ///   - value: Its value.
        package mutating func add(_ name: String, _ value: Int64) {
            addName(name)
            members += Array(String(value).utf8)
        }

        /// Adds a claim that is `true` or `false`.
        ///
        /// - Parameters:
        ///   - name: The claim's name, one that was not added before.
        ///   - value: Its value.
        package mutating func add(_ name: String, _ value: Bool) {
            addName(name)
            members += Array(value ? "true".utf8 : "false".utf8)
        }

        /// The claims as one JSON object in UTF-8.
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
    /// The compact JWS.
    package let compact: String
    /// The identifier of the key that signed.
    package let keyIdentifier: String
    /// The one-time UUID that was signed.
    package let nonce: Nonce
    /// The moment that was signed (`iat`), in whole seconds.
    package let issuedAt: Timestamp

    /// The moment from which it is no longer to be used.
    ///
    /// Apple does not say for how long it takes one: as long as the other form is assumed.
    package var expiresAt: Timestamp { issuedAt.adding(seconds: Discount.lifetimeSeconds) }

    /// Composes the claims and signs them.
    ///
    /// - Parameters:
    ///   - offerId: The promotional offer's identifier.
    ///   - productId: The product being bought.
    ///   - transactionId: A transaction of the customer, which binds the signature to them; `nil` if none is known.
    ///   - issuer: The app, with the issuer of its key.
    ///   - timestamp: The moment of signing.
    ///   - signer: The app's signing key.
    /// - Throws: ``SigningFailure`` when nothing could be signed.
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
/// The App Store obeys it, whether or not the customer has used one before. The claims are Apple's: "Generating JWS to sign App Store requests".
package struct IntroductoryOfferEligibilityJWS: Equatable, Sendable {
    /// The compact JWS.
    package let compact: String
    /// The identifier of the key that signed.
    package let keyIdentifier: String
    /// The one-time UUID that was signed.
    package let nonce: Nonce
    /// The moment that was signed (`iat`), in whole seconds.
    package let issuedAt: Timestamp
    /// Whether the customer may have the offer.
    package let allowIntroductoryOffer: Bool
    /// The transaction by which the App Store knows the customer.
    package let transactionId: String

    /// The moment from which it is no longer to be used.
    ///
    /// Apple does not say for how long it takes one: as long as a promotional offer is assumed.
    package var expiresAt: Timestamp { issuedAt.adding(seconds: Discount.lifetimeSeconds) }

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

/// What every App Store request claims, whatever it asks for.
struct AppStoreRequest {
    /// The claims so far.
    var claims: JSONWebToken.Claims
    /// The one-time UUID among them.
    let nonce: Nonce
    /// The moment among them.
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

/// The issuer of requests to the App Store.
package struct AppStoreRequestIssuer: Equatable, Sendable {
    /// The app's bundle identifier.
    package let bundleId: String
    /// The issuer of the app's key in App Store Connect, a UUID.
    package let issuerId: String

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - issuerId: The issuer of the app's key in App Store Connect.
    package init(bundleId: String, issuerId: String) {
        self.bundleId = bundleId
        self.issuerId = issuerId
    }
}
