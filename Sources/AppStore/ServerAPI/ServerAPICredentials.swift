import Crypto
public import Offers
import StrictJSON
import Synchronization

/// In whose name the App Store Server API is asked for an app: makes the tokens (JWT) that the API takes.
///
/// The key itself stays where it is: it signs through the same port as it signs offers.
public final class ServerAPICredentials: Sendable {
    /// How long a token is valid, in seconds.
    ///
    /// The API takes up to an hour ("Generating JSON Web Tokens for API requests").
    static let lifetimeSeconds: Int64 = 300
    /// How far a token is dated back, in seconds, against clocks that differ.
    static let backdatingSeconds: Int64 = 10
    /// How long before its end a token is no longer sent, in seconds.
    static let reserveSeconds: Int64 = 60

    private struct Token {
        let text: String
        let useUntil: Timestamp
    }

    private let bundleId: String
    private let issuerId: String
    private let signer: any OfferSigner
    private let token = Mutex<Token?>(nil)

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - bundleId: The app that is asked for.
    ///   - issuerId: The issuer of the key, from App Store Connect, a UUID.
    ///   - signer: The app's In-App Purchase key.
    public init(bundleId: String, issuerId: String, signer: any OfferSigner) {
        self.bundleId = bundleId
        self.issuerId = issuerId
        self.signer = signer
    }

    /// A token that is valid now; one is used for several requests.
    ///
    /// - Parameter now: The server's clock.
    /// - Returns: A compact JWS, signed with ES256.
    /// - Throws: `SigningFailure` when the key does not sign.
    func bearerToken(at now: Timestamp) throws(SigningFailure) -> String {
        if let known = token.withLock({ $0 }), now < known.useUntil { return known.text }
        let text = try makeToken(at: now)
        let useUntil = now.adding(seconds: Self.lifetimeSeconds - Self.backdatingSeconds - Self.reserveSeconds)
        token.withLock { $0 = Token(text: text, useUntil: useUntil) }
        return text
    }

    private func makeToken(at now: Timestamp) throws(SigningFailure) -> String {
        let issued = now.millisecondsSince1970 / 1000 - Self.backdatingSeconds
        var header = JSONWriter()
        header.object { member in
            member.member("alg", "ES256")
            member.member("kid", signer.keyIdentifier)
            member.member("typ", "JWT")
        }
        var claims = JSONWriter()
        claims.object { member in
            member.member("iss", issuerId)
            member.member("iat", issued)
            member.member("exp", issued + Self.lifetimeSeconds)
            member.member("aud", "appstoreconnect-v1")
            member.member("bid", bundleId)
        }
        let input = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
        let der = try signer.derSignature(over: Array(input.utf8).span)
        // JWS wants r and s, 32 bytes each (RFC 7518 §3.4).
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: der) else {
            throw SigningFailure(keyIdentifier: signer.keyIdentifier, detail: "the signature is no ECDSA-Sig-Value")
        }
        return input + "." + Base64URL.encode(signature.rawRepresentation)
    }
}
