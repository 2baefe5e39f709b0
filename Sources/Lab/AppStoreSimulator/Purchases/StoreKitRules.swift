import Crypto
import Foundation
import Offers
import StrictJSON

/// Whether Apple takes what a client set on the payment for a promotional offer.
///
/// Apple's side of the rules: "Generating a signature for promotional offers" and "Generating JWS to sign App Store
/// requests". It composes the signed bytes itself, from what the client set.
struct StoreKitRules {
    /// The age up to which a signature is accepted, in seconds.
    static let lifetime: Int64 = 86400
    /// How far ahead of the clock a signature may be dated, in seconds.
    ///
    /// That one from the future is refused is known from developers' reports; how far it may be ahead is not.
    static let tolerance: Int64 = 300

    let app: StoreApp
    let customer: StoreCustomer
    let product: StoreProduct
    let account: Account
    let now: Timestamp

    /// Judges an offer; its nonce counts as used from then on, whatever becomes of the request.
    func offer(_ parameters: OfferParameters, nonces: inout Set<String>) throws(StoreKitError) -> StoreOffer {
        let offer: StoreOffer
        switch parameters {
        case .discount(let discount): offer = try self.offer(discount, nonces: &nonces)
        case .jws(let offerId, let text): offer = try self.offer(offerId, text, nonces: &nonces)
        }
        guard customer.hasEverSubscribed else {
            throw StoreKitError(.ineligibleForOffer, "The customer has never subscribed.")
        }
        return offer
    }

    private func offer(
        _ discount: DiscountParameters,
        nonces: inout Set<String>
    ) throws(StoreKitError) -> StoreOffer {
        guard let identifier = discount.identifier, let keyIdentifier = discount.keyIdentifier,
            let nonce = discount.nonce, let signature = discount.signature, let timestamp = discount.timestamp,
            !identifier.isEmpty, !keyIdentifier.isEmpty, !signature.isEmpty
        else { throw StoreKitError(.missingOfferParams, "One of the discount's five parameters is missing.") }
        let isUnused = nonces.insert(nonce.lowercased()).inserted
        let offer = try find(identifier)
        guard let key = app.keys[keyIdentifier] else { throw invalid("No key \(keyIdentifier) is registered.") }
        guard UUID(uuidString: nonce) != nil else { throw invalid("The nonce is not a UUID.") }
        guard let der = Data(base64Encoded: signature),
            let value = try? P256.Signing.ECDSASignature(derRepresentation: der)
        else { throw invalid("The signature is not DER in standard Base64.") }
        // The client has the nonce as a UUID, which StoreKit writes in lowercase whatever the server wrote.
        let fields = [
            app.bundleId, keyIdentifier, product.id, identifier, accountField, nonce.lowercased(),
            String(timestamp),
        ]
        guard key.isValidSignature(value, for: Array(fields.joined(separator: "\u{2063}").utf8)) else {
            throw invalid("Key \(keyIdentifier) has not signed these seven fields: \(fields.joined(separator: " · ")).")
        }
        try check(Timestamp(millisecondsSince1970: timestamp))
        guard isUnused else { throw invalid("The nonce was used before; each signature is for one request.") }
        return offer
    }

    /// The account as StoreKit puts it into the signed bytes.
    private var accountField: String {
        switch account {
        case .appAccountToken(let token): token.lowercased
        case .applicationUsername(let name): name
        case .none: ""
        }
    }

    func find(_ offerId: String) throws(StoreKitError) -> StoreOffer {
        guard let offer = product.offer(offerId) else {
            throw StoreKitError(.invalidOfferIdentifier, "The product \(product.id) has no offer \(offerId).")
        }
        guard !offer.isPriceInvalid else {
            throw StoreKitError(.invalidOfferPrice, "The offer's price in App Store Connect is no longer valid.")
        }
        return offer
    }

    func check(_ signed: Timestamp) throws(StoreKitError) {
        guard now < signed.adding(seconds: Self.lifetime) else {
            throw invalid("The signature is of \(signed.rfc3339); it is taken for 24 hours.")
        }
        guard signed <= now.adding(seconds: Self.tolerance) else {
            throw invalid("The signature is of \(signed.rfc3339), which is in the future.")
        }
    }

    func invalid(_ reason: String) -> StoreKitError { StoreKitError(.invalidSignature, reason) }
}

/// StoreKit 2's `compactJWS` arguments: "Generating JWS to sign App Store requests".
extension StoreKitRules {
    /// Judges a promotional offer as a JWS.
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
    /// It counts whatever the customer has used before: it gives the offer, or keeps it from the customer.
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
        let jws: ES256JWS?
        let nonce: String
        let isUnused: Bool

        init(_ text: String, nonces: inout Set<String>) {
            jws = ES256JWS(text)
            nonce = jws?.string("nonce") ?? ""
            isUnused = nonces.insert(nonce.lowercased()).inserted
        }
    }

    /// Judges what all App Store requests have in common.
    private func check(
        _ request: SignedRequest,
        audience: String,
        claims: [String: String] = [:]
    ) throws(StoreKitError) -> ES256JWS {
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

/// A refusal of StoreKit (`SKError.Code`), with the reason that StoreKit keeps to itself.
struct StoreKitError: Error, Equatable {
    /// The codes, by the names and numbers of StoreKit.
    enum Code: Int64, CaseIterable, Sendable {
        case storeProductNotAvailable = 5
        case invalidOfferIdentifier = 11
        case invalidSignature = 12
        case missingOfferParams = 13
        case invalidOfferPrice = 14
        case ineligibleForOffer = 18
    }

    let code: Code
    let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The error as the simulator's routes answer it.
    var json: [UInt8] {
        JSONWriter.text { json in
            json.member("storeKitError", code.rawValue)
            json.member("name", "\(code)")
            json.member("reason", reason)
        }
    }
}
