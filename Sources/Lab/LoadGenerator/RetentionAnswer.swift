import AppStoreSimulator
import StrictJSON

/// A service's answer to a retention call (`RealtimeResponseBody`), as far as a load generator looks at it.
struct RetentionAnswer {
    enum Kind: String {
        case message, alternateProduct, promotionalOffer
    }

    let kind: Kind
    let signature: String?

    /// An answer that shows nothing gives `nil`.
    init?(json: [UInt8]) {
        var kind: Kind?
        var signature: String?
        var reader = JSONReader(json)
        do throws(JSONFault) {
            try reader.readObject { (name, reader) throws(JSONFault) in
                guard let found = Kind(rawValue: name), kind == nil else { return try reader.skipValue() }
                kind = found
                try reader.readObject { (name, reader) throws(JSONFault) in
                    if name == "promotionalOfferSignatureV2" {
                        signature = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
            }
            try reader.readEnd()
        } catch {
            return nil
        }
        guard let kind else { return nil }
        self.kind = kind
        self.signature = signature
    }
}

/// A signed promotional offer in the form of StoreKit 2's `compactJWS` arguments.
extension ES256JWS {
    /// The offer that is signed, if one is.
    var offer: ExpectedAnswer.Offer? {
        guard let productId = string("productId"), let offerId = string("offerIdentifier") else { return nil }
        return ExpectedAnswer.Offer(productId: productId, offerId: offerId)
    }

    /// The fault of the answer; `nil` where Apple would take it.
    func fault(
        of expected: ExpectedAnswer,
        about subscription: String,
        by checker: SignatureChecker,
        _ seen: inout SignatureChecker.Seen
    ) -> String? {
        guard algorithm == "ES256" else { return "the JWS is not signed with ES256" }
        guard checker.isRight(keyIdentifier ?? "", &seen, { isSigned(by: $0) }) else {
            return "the public key does not verify the JWS of key \(keyIdentifier ?? "none")"
        }
        guard string("aud") == "promotional-offer" else { return "the claim aud is not promotional-offer" }
        guard string("bid") == expected.bundleId else { return "the claim bid is another app" }
        guard string("transactionId") == subscription else { return "the claim transactionId is another subscription" }
        guard let offer, expected.offers.contains(offer) else { return "the offer is another than was asked for" }
        return seen.fault(of: string("nonce") ?? "")
    }
}
