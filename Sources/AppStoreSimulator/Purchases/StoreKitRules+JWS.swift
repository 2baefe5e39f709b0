import Foundation
import Offers
import StrictJSON

/// StoreKit 2's `compactJWS` arguments: "Generating JWS to sign App Store requests".
extension StoreKitRules {
    /// Judges a promotional offer.
    ///
    /// - Parameters:
    ///   - offerId: The offer that the client names.
    ///   - text: The JWS.
    ///   - nonces: The nonces that were used; this one is added, whatever becomes of the request.
    /// - Returns: The offer.
    /// - Throws: ``StoreKitError`` when it is refused.
    func offer(
        _ offerId: String?,
        _ text: String,
        nonces: inout Set<String>
    ) throws(StoreKitError) -> StoreOffer {
        guard let offerId else { throw StoreKitError(.missingOfferParams, "The offer's identifier is missing.") }
        let request = SignedRequest(text, nonces: &nonces)
        let offer = try find(offerId)
        let jws = try check(request, audience: "promotional-offer", claims: ["offerIdentifier": offerId])
        if let id = jws.string("transactionId"), !customer.isKnown(by: id) {
            throw invalid("The claim transactionId is not of a transaction of the customer.")
        }
        return offer
    }

    /// Judges a server's word on whether the customer may have the product's introductory offer.
    ///
    /// The word counts whatever the customer has used before: it gives the offer, or keeps it from the customer.
    ///
    /// - Parameters:
    ///   - text: The JWS.
    ///   - nonces: The nonces that were used; this one is added, whatever becomes of the request.
    /// - Returns: What it says.
    /// - Throws: ``StoreKitError`` when it is refused.
    func allowsIntroductoryOffer(_ text: String, nonces: inout Set<String>) throws(StoreKitError) -> Bool {
        let request = SignedRequest(text, nonces: &nonces)
        let jws = try check(request, audience: "introductory-offer-eligibility")
        guard let id = jws.string("transactionId"), customer.isKnown(by: id) else {
            throw invalid("The claim transactionId is not of a transaction of the customer, or is missing.")
        }
        guard case .bool(let allows) = jws.claims["allowIntroductoryOffer"] else {
            throw invalid("The claim allowIntroductoryOffer is not true or false.")
        }
        return allows
    }

    /// A JWS whose nonce has been noted as used.
    private struct SignedRequest {
        let jws: CompactJWS?
        let nonce: String
        let isUnused: Bool

        init(_ text: String, nonces: inout Set<String>) {
            jws = CompactJWS(text)
            nonce = jws?.string("nonce") ?? ""
            isUnused = nonces.insert(nonce.lowercased()).inserted
        }
    }

    /// Judges what all App Store requests have in common.
    private func check(
        _ request: SignedRequest,
        audience: String,
        claims: [String: String] = [:]
    ) throws(StoreKitError) -> CompactJWS {
        guard let jws = request.jws else { throw invalid("This is no compact JWS.") }
        guard let keyIdentifier = jws.keyIdentifier, let key = app.keys[keyIdentifier] else {
            throw invalid("The header's kid names no registered key.")
        }
        guard jws.isSigned(by: key) else { throw invalid("Key \(keyIdentifier) has not signed this JWS with ES256.") }
        guard jws.claims["exp"] == nil else { throw invalid("The JWS has an exp, which App Store requests must not.") }
        var expected = claims
        expected["aud"] = audience
        expected["bid"] = app.bundleId
        expected["productId"] = product.id
        for (claim, value) in expected.sorted(by: { $0.key < $1.key }) where jws.string(claim) != value {
            throw invalid("The claim \(claim) is not \(value).")
        }
        guard let issuer = jws.string("iss"), app.issuerId == nil || app.issuerId == issuer else {
            throw invalid("The claim iss is not the issuer id.")
        }
        guard UUID(uuidString: request.nonce) != nil, request.nonce == request.nonce.lowercased() else {
            throw invalid("The claim nonce is not a UUID in lowercase.")
        }
        guard let issued = jws.integer("iat") else { throw invalid("The claim iat is missing.") }
        try check(Timestamp(millisecondsSince1970: 0).adding(seconds: issued))
        guard request.isUnused else { throw invalid("The nonce was used before; each signature is for one request.") }
        return jws
    }
}
