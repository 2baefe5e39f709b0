package import Offers
import Synchronization

/// Makes the tokens (JWT) with which the App Store Server API is asked about an app, or App Store Connect about a team.
///
/// The key itself stays where it is: it signs through the same port as it signs offers.
package final class ServerAPICredentials: Sendable {
    /// How long a token is valid, in seconds.
    ///
    /// The one takes up to an hour ("Generating JSON Web Tokens for API requests"), App Store Connect 20 minutes.
    static let lifetimeSeconds: Int64 = 300
    /// How far a token is dated back, in seconds, against clocks that differ.
    static let backdatingSeconds: Int64 = 10
    /// How long before its end a token is no longer sent, in seconds.
    static let reserveSeconds: Int64 = 60

    private struct Token {
        let text: String
        let issuedAt: Timestamp
        let useUntil: Timestamp
    }

    private let bundleId: String?
    private let issuerId: String?
    private let signer: any ES256Signer
    private let token = Mutex<Token?>(nil)

    /// Creates credentials.
    package init(bundleId: String, issuerId: String, signer: any ES256Signer) {
        self.bundleId = bundleId
        self.issuerId = issuerId
        self.signer = signer
    }

    /// Creates credentials for App Store Connect; an individual's key has no issuer.
    init(appStoreConnectIssuer issuerId: String?, signer: any ES256Signer) {
        bundleId = nil
        self.issuerId = issuerId
        self.signer = signer
    }

    /// A token that is valid now, a compact JWS; one is used for several requests.
    func bearerToken(at now: Timestamp) async throws(SigningFailure) -> String {
        // A clock that was set back leaves a token of the future, which the API refuses until the clock is there again.
        if let known = token.withLock({ $0 }), known.issuedAt <= now, now < known.useUntil { return known.text }
        let issued = now.millisecondsSince1970 / 1000 - Self.backdatingSeconds
        let text = try await makeToken(issuedAt: issued)
        let made = Token(
            text: text,
            issuedAt: Timestamp(millisecondsSince1970: issued * 1000),
            useUntil: now.adding(seconds: Self.lifetimeSeconds - Self.backdatingSeconds - Self.reserveSeconds)
        )
        token.withLock { $0 = made }
        return text
    }

    private func makeToken(issuedAt issued: Int64) async throws(SigningFailure) -> String {
        var claims = JSONWebToken.Claims()
        if let issuerId { claims.add("iss", issuerId) } else { claims.add("sub", "user") }
        claims.add("iat", issued)
        claims.add("exp", issued + Self.lifetimeSeconds)
        claims.add("aud", "appstoreconnect-v1")
        if let bundleId { claims.add("bid", bundleId) }
        let all = claims
        return try await signer.work { (signer) throws(SigningFailure) in
            try JSONWebToken(all, signer: signer).compact
        }.value()
    }
}
