package import Offers

/// An app of the catalog with the key that signs for it.
///
/// A class, so that passing it on copies nothing.
package final class SigningApp: Sendable {
    /// The app.
    package let app: App
    /// Its signing key: the first of its keys in the catalog.
    package let signer: any ES256Signer
    /// The issuer of signed App Store requests (JWS); `nil` when the catalog does not name the key's issuer.
    package let issuer: AppStoreRequestIssuer?

    /// Creates the pair.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - signer: Its signing key.
    ///   - issuerId: The key's issuer in App Store Connect; `nil` when the catalog does not name it.
    package init(app: App, signer: any ES256Signer, issuerId: String? = nil) {
        self.app = app
        self.signer = signer
        issuer = issuerId.map { AppStoreRequestIssuer(bundleId: app.bundleId, issuerId: $0) }
    }
}

/// Signs the eligible offers of one request, in the forms that it asks for.
struct OfferStamp {
    /// The app with its key.
    let signing: SigningApp
    /// The account to sign for.
    let account: Account
    /// The forms asked for; none where nothing is to be signed.
    let formats: Set<SignatureFormat>
    /// The purchases to name in a JWS; `nil` where none is to be named.
    let purchases: NewestTransactions?
    /// The moment of signing.
    let moment: Timestamp
    /// Measures how long signing takes.
    let rooms: RoomMetrics

    /// Adds the signatures to a decision, where it is eligible.
    func signed(_ offer: OfferRequest, _ decision: Decision) throws(SigningFailure) -> OfferAnswer {
        guard decision.verdict == .eligible, !formats.isEmpty else {
            return OfferAnswer(request: offer, decision: decision)
        }
        return try rooms.measure(.signature) { () throws(SigningFailure) in
            OfferAnswer(
                request: offer,
                decision: decision,
                discount: formats.contains(.discount) ? try discount(offer) : nil,
                jws: formats.contains(.jws) ? try jws(offer) : nil
            )
        }
    }

    private func discount(_ offer: OfferRequest) throws(SigningFailure) -> Discount {
        var words = RandomWords()
        return try Discount(
            offerId: offer.offerId,
            productId: offer.productId,
            bundleId: signing.app.bundleId,
            account: account,
            nonce: Nonce(using: &words),
            timestamp: moment,
            signer: signing.signer
        )
    }

    private func jws(_ offer: OfferRequest) throws(SigningFailure) -> PromotionalOfferJWS? {
        guard let issuer = signing.issuer else { return nil }
        let group = signing.app.product(offer.productId)?.group
        return try PromotionalOfferJWS(
            offerId: offer.offerId,
            productId: offer.productId,
            transactionId: group.flatMap { purchases?.identifier(inGroup: $0.id) },
            issuer: issuer,
            timestamp: moment,
            signer: signing.signer
        )
    }
}
