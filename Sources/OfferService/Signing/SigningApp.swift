package import Offers

/// An app of the catalog with the key that signs for it: a class, so that passing it on copies nothing.
package final class SigningApp: Sendable {
    package let app: App
    /// The first of its keys in the catalog.
    package let signer: any ES256Signer
    /// The issuer of signed App Store requests (JWS); `nil` when the catalog does not name it.
    package let issuer: AppStoreRequestIssuer?

    package init(app: App, signer: any ES256Signer, issuerId: String? = nil) {
        self.app = app
        self.signer = signer
        issuer = issuerId.map { AppStoreRequestIssuer(bundleId: app.bundleId, issuerId: $0) }
    }
}

/// Signs the eligible offers of one request, in the forms that it asks for.
struct OfferStamp {
    let signing: SigningApp
    let account: Account
    /// The requested forms; none where nothing is to be signed.
    let formats: Set<SignatureFormat>
    /// The purchases to name in a JWS; `nil` for none.
    let purchases: NewestTransactions?
    let moment: Timestamp
    let stages: StageMetrics
    /// The app's key, or its signer for this thread.
    let signer: any ES256Signer

    /// Adds the signatures to a decision, where it is eligible.
    func signed(_ offer: OfferRequest, _ decision: Decision) throws(SigningFailure) -> OfferAnswer {
        guard decision.verdict == .eligible, !formats.isEmpty else {
            return OfferAnswer(request: offer, decision: decision)
        }
        return try stages.measure(.signature) { () throws(SigningFailure) in
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
            signer: signer
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
            signer: signer
        )
    }
}
