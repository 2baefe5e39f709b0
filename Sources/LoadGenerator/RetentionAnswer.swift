internal import Crypto
internal import FoundationEssentials
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

/// A signed promotional offer in the form of StoreKit 2's `compactJWS` arguments, taken apart and not yet trusted.
struct OfferJWS {
    /// The header's and the payload's members that are strings.
    private let header: [String: String]
    private let claims: [String: String]
    private let signedText: String
    private let signature: [UInt8]

    /// Takes a JWS apart; of anything else, nothing is there.
    init(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let bytes = parts.map { Self.decoded($0) }
        header = parts.count == 3 ? Self.strings(bytes[0]) : [:]
        claims = parts.count == 3 ? Self.strings(bytes[1]) : [:]
        signedText = parts.prefix(2).joined(separator: ".")
        signature = parts.count == 3 ? bytes[2] : []
    }

    /// The offer that is signed, if one is.
    var offer: ExpectedAnswer.Offer? {
        guard let productId = claims["productId"], let offerId = claims["offerIdentifier"] else { return nil }
        return ExpectedAnswer.Offer(productId: productId, offerId: offerId)
    }

    /// The nonce that is signed, empty where none is.
    var nonce: String { claims["nonce"] ?? "" }

    /// The fault of the answer; `nil` where Apple would take it.
    func fault(
        of expected: ExpectedAnswer,
        about subscription: String,
        by checker: SignatureChecker,
        _ seen: inout SignatureChecker.Seen
    ) -> String? {
        guard header["alg"] == "ES256" else { return "the JWS is not signed with ES256" }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: Data(signature)),
            checker.isRight(header["kid"] ?? "", &seen, { $0.isValidSignature(signature, for: Data(signedText.utf8)) })
        else { return "the public key does not verify the JWS of key \(header["kid"] ?? "none")" }
        guard claims["aud"] == "promotional-offer" else { return "the claim aud is not promotional-offer" }
        guard claims["bid"] == expected.bundleId else { return "the claim bid is another app" }
        guard claims["transactionId"] == subscription else { return "the claim transactionId is another subscription" }
        guard let offer, expected.offers.contains(offer) else { return "the offer is another than was asked for" }
        guard UUID(uuidString: nonce) != nil, nonce == nonce.lowercased() else {
            return "the nonce is no UUID in lowercase"
        }
        guard seen.nonces.insert(nonce).inserted else { return "the nonce \(nonce) came twice" }
        return nil
    }

    private static func strings(_ json: [UInt8]) -> [String: String] {
        var strings: [String: String] = [:]
        var reader = JSONReader(json)
        do throws(JSONFault) {
            try reader.readObject { (name, reader) throws(JSONFault) in
                if try reader.nextType() == .string {
                    strings[name] = try reader.readString()
                } else {
                    try reader.skipValue()
                }
            }
        } catch {
            return [:]
        }
        return strings
    }

    private static func decoded(_ text: String) -> [UInt8] {
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: padded).map { Array($0) } ?? []
    }
}
