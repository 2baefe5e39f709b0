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
