import Crypto
import Foundation
import Offers

/// Whether Apple takes what a client set on the payment for a promotional offer.
///
/// Apple's side of the rules: "Generating a signature for promotional offers" and "Generating JWS to sign App Store
/// requests". It composes the signed bytes itself, from what the client set.
struct StoreKitRules {
    /// For how long a signature is taken, in seconds.
    static let lifetime: Int64 = 86400
    /// How far ahead of the clock a signature may be dated, in seconds.
    ///
    /// That one from the future is refused is known from developers' reports; how far it may be ahead is not.
    static let tolerance: Int64 = 300

    /// The app.
    let app: StoreApp
    /// The customer.
    let customer: StoreCustomer
    /// The product.
    let product: StoreProduct
    /// The account on the payment.
    let account: Account
    /// The moment that the clock shows.
    let now: Timestamp

    /// Judges an offer.
    ///
    /// - Parameters:
    ///   - parameters: What the client set.
    ///   - nonces: The nonces that were used; this one is added, whatever becomes of the request.
    /// - Returns: The offer.
    /// - Throws: ``StoreKitError`` when it is refused.
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

    /// The offer of the product.
    ///
    /// - Parameter offerId: Its identifier.
    /// - Returns: The offer.
    /// - Throws: ``StoreKitError`` when there is none, or it is no longer valid.
    func find(_ offerId: String) throws(StoreKitError) -> StoreOffer {
        guard let offer = product.offer(offerId) else {
            throw StoreKitError(.invalidOfferIdentifier, "The product \(product.id) has no offer \(offerId).")
        }
        guard !offer.isPriceInvalid else {
            throw StoreKitError(.invalidOfferPrice, "The offer's price in App Store Connect is no longer valid.")
        }
        return offer
    }

    /// Whether a signature may be used at the moment that the clock shows.
    ///
    /// - Parameter signed: When it was made.
    /// - Throws: ``StoreKitError`` when it is too old, or of the future.
    func check(_ signed: Timestamp) throws(StoreKitError) {
        guard now < signed.adding(seconds: Self.lifetime) else {
            throw invalid("The signature is of \(signed.rfc3339); it is taken for 24 hours.")
        }
        guard signed <= now.adding(seconds: Self.tolerance) else {
            throw invalid("The signature is of \(signed.rfc3339), which is in the future.")
        }
    }

    /// The refusal of a signature.
    ///
    /// - Parameter reason: Why it is refused.
    /// - Returns: The error.
    func invalid(_ reason: String) -> StoreKitError { StoreKitError(.invalidSignature, reason) }
}
