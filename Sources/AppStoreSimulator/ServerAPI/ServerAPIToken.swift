import Offers

/// Checks the bearer tokens of the App Store Server API, as Apple's "Generating JSON Web Tokens for API requests" says.
enum ServerAPIToken {
    /// How long a token may be valid, in seconds.
    static let maximumLifetime: Int64 = 3600

    /// Checks a token at the machine's clock: its maker does not know that the simulator's may be another.
    ///
    /// Apple's own Python library leaves `iat` out, so a token without one is taken.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - apps: The apps that the App Store knows.
    ///   - now: The machine's clock.
    /// - Returns: The app that it is for; `nil` where Apple answers 401, which says nothing of the reason.
    static func app(named token: String, among apps: [StoreApp], at now: Timestamp) -> StoreApp? {
        let seconds = now.millisecondsSince1970 / 1000
        guard let jws = CompactJWS(token), let keyIdentifier = jws.keyIdentifier,
            let app = apps.first(where: { $0.bundleId == jws.string("bid") }),
            let key = app.keys[keyIdentifier], jws.isSigned(by: key),
            jws.string("aud") == "appstoreconnect-v1",
            let issuer = jws.string("iss"), app.issuerId == nil || app.issuerId == issuer,
            let expires = jws.integer("exp"), expires > seconds
        else { return nil }
        let issued = jws.claims["iat"] == nil ? seconds : jws.integer("iat")
        guard let issued, issued <= seconds, expires <= issued + maximumLifetime else {
            return nil
        }
        return app
    }
}
