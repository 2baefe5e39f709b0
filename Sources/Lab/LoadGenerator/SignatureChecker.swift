import AppStoreSimulator
internal import Crypto
internal import FoundationEssentials
import StrictJSON

/// Checks signatures as Apple would: against the public key, over the seven fields that were asked for.
package struct SignatureChecker: Sendable {
    private let keys: [P256.Signing.PublicKey]

    package struct Outcome: Equatable, Sendable, Codable {
        package internal(set) var checked = 0
        package internal(set) var wrong = 0
        package internal(set) var firstFault: String?

        package init() {}
    }

    /// The keys and nonces of earlier answers.
    struct Seen {
        /// None may come twice.
        private var nonces: Set<String> = []
        /// The place of the key that each key identifier has.
        fileprivate var keys: [String: Int] = [:]

        mutating func fault(of nonce: String) -> String? {
            guard UUID(uuidString: nonce) != nil, nonce == nonce.lowercased() else {
                return "the nonce is no UUID in lowercase"
            }
            return nonces.insert(nonce).inserted ? nil : "the nonce \(nonce) came twice"
        }
    }

    /// Takes keys as PEM, `PUBLIC KEY`, P-256: several, one after the other, where the service's key changes under way.
    package init?(pem: String) {
        let begin = "-----BEGIN"
        var keys: [P256.Signing.PublicKey] = []
        for part in pem.split(separator: begin) where !part.allSatisfy(\.isWhitespace) {
            guard let key = try? P256.Signing.PublicKey(pemRepresentation: begin + part) else { return nil }
            keys.append(key)
        }
        guard !keys.isEmpty else { return nil }
        self.keys = keys
    }

    package func check(_ measurement: LoadMeasurement) -> Outcome {
        var seen = Seen()
        var outcome = Outcome()
        for sample in measurement.tally.samples {
            let expected = measurement.plan.deck.expected(sample.request)
            check(sample.body, expected, &seen, &outcome)
        }
        return outcome
    }

    func check(_ body: [UInt8], _ expected: ExpectedAnswer, _ seen: inout Seen, _ outcome: inout Outcome) {
        if let subscription = expected.originalTransactionId {
            guard let shown = RetentionAnswer(json: body), let jws = shown.signature else { return }
            let fault = ES256JWS(jws).map { $0.fault(of: expected, about: subscription, by: self, &seen) }
            outcome.count(fault: fault ?? "the JWS is not signed with ES256")
            return
        }
        guard let answer = try? SignedAnswer(json: body), answer.decisions.count == expected.offers.count else {
            outcome.count(fault: "the answer has not one decision for each offer")
            return
        }
        for (decision, offer) in zip(answer.decisions, expected.offers) {
            guard let discount = decision.discount else { continue }
            outcome.count(fault: fault(of: discount, expected, offer, &seen))
        }
    }

    /// Whether one of the keys verifies a signature, the same for all of one key identifier.
    func isRight(
        _ keyIdentifier: String,
        _ seen: inout Seen,
        _ verifies: (P256.Signing.PublicKey) -> Bool
    ) -> Bool {
        if let place = seen.keys[keyIdentifier] { return verifies(keys[place]) }
        guard let place = keys.firstIndex(where: verifies) else { return false }
        seen.keys[keyIdentifier] = place
        return true
    }

    private func fault(
        of discount: SignedAnswer.Discount,
        _ expected: ExpectedAnswer,
        _ offer: ExpectedAnswer.Offer,
        _ seen: inout Seen
    ) -> String? {
        guard discount.identifier == offer.offerId else { return "the offer is another than was asked for" }
        if let fault = seen.fault(of: discount.nonce) { return fault }
        let fields = [
            expected.bundleId, discount.keyIdentifier, offer.productId, offer.offerId, expected.account, discount.nonce,
            String(discount.timestamp),
        ]
        guard let der = Data(base64Encoded: discount.signature),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
        else { return "the signature is not DER in Base64" }
        let payload = Data(fields.joined(separator: "\u{2063}").utf8)
        guard isRight(discount.keyIdentifier, &seen, { $0.isValidSignature(signature, for: payload) }) else {
            return "the public key does not verify the signature of key \(discount.keyIdentifier)"
        }
        return nil
    }
}

extension SignatureChecker.Outcome {
    fileprivate mutating func count(fault: String?) {
        checked += 1
        guard let fault else { return }
        wrong += 1
        firstFault = firstFault ?? fault
    }
}

/// An answer of `POST /v1/signatures` or `/v1/eligibility`, as far as a load generator looks at it.
struct SignedAnswer {
    struct Decision {
        private(set) var productId = ""
        private(set) var offerId = ""
        private(set) var verdict = ""
        private(set) var reason = ""
        private(set) var discount: Discount?

        fileprivate init(_ reader: inout JSONReader) throws(JSONFault) {
            try reader.readObject { (name, reader) throws(JSONFault) in
                switch name {
                case "productId": productId = try reader.readString()
                case "offerId": offerId = try reader.readString()
                case "verdict": verdict = try reader.readString()
                case "reason": reason = try reader.readString()
                case "discount": discount = try Discount(&reader)
                default: try reader.skipValue()
                }
            }
        }
    }

    /// The signed values, as text where the payload has them as text.
    struct Discount {
        private(set) var identifier = ""
        private(set) var keyIdentifier = ""
        private(set) var nonce = ""
        private(set) var timestamp: Int64 = 0
        private(set) var signature = ""

        fileprivate init(_ reader: inout JSONReader) throws(JSONFault) {
            try reader.readObject { (name, reader) throws(JSONFault) in
                switch name {
                case "identifier": identifier = try reader.readString()
                case "keyIdentifier": keyIdentifier = try reader.readString()
                case "nonce": nonce = try reader.readString()
                case "timestamp": timestamp = try reader.readInt64()
                case "signature": signature = try reader.readString()
                default: try reader.skipValue()
                }
            }
        }
    }

    private(set) var bundleId = ""
    private(set) var decisions: [Decision] = []

    init(json: [UInt8]) throws(JSONFault) {
        var reader = JSONReader(json)
        try reader.readObject { (name, reader) throws(JSONFault) in
            switch name {
            case "bundleId": bundleId = try reader.readString()
            case "decisions":
                try reader.readArray { (_, reader) throws(JSONFault) in decisions.append(try Decision(&reader)) }
            default: try reader.skipValue()
            }
        }
        try reader.readEnd()
    }
}
