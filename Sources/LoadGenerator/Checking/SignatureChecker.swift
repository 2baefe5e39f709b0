internal import Crypto
internal import FoundationEssentials

/// Checks signatures as Apple would: against the public key, over the seven fields that were asked for.
public struct SignatureChecker: Sendable {
    private let key: P256.Signing.PublicKey

    /// What came of a check.
    public struct Outcome: Equatable, Sendable, Codable {
        /// How many signatures were checked.
        public internal(set) var checked = 0
        /// How many of them were wrong.
        public internal(set) var wrong = 0
        /// What was wrong with the first of them.
        public internal(set) var firstFault: String?

        /// Creates the outcome of no check.
        public init() {}
    }

    /// Takes a public key.
    ///
    /// - Parameter pem: The key as PEM, `PUBLIC KEY`, P-256. What is none gives `nil`.
    public init?(pem: String) {
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else { return nil }
        self.key = key
    }

    /// Checks the answers that a run has kept.
    ///
    /// - Parameter measurement: What the run measured.
    /// - Returns: How many signatures were checked, and how many were wrong.
    public func check(_ measurement: LoadMeasurement) -> Outcome {
        var nonces: Set<String> = []
        var outcome = Outcome()
        for sample in measurement.samples {
            let expected = measurement.plan.deck.expected(sample.request)
            check(sample.body, expected, &nonces, &outcome)
        }
        return outcome
    }

    /// Checks the signatures of one answer.
    ///
    /// - Parameters:
    ///   - body: The answer.
    ///   - expected: What was asked for.
    ///   - nonces: The nonces that were seen: none may come twice.
    ///   - outcome: Where the result is counted.
    func check(_ body: [UInt8], _ expected: ExpectedAnswer, _ nonces: inout Set<String>, _ outcome: inout Outcome) {
        guard let answer = try? SignedAnswer(json: body), answer.decisions.count == expected.offers.count else {
            outcome.count(fault: "the answer has not one decision for each offer")
            return
        }
        for (decision, offer) in zip(answer.decisions, expected.offers) {
            guard let discount = decision.discount else { continue }
            outcome.count(fault: fault(of: discount, expected, offer, &nonces))
        }
    }

    private func fault(
        of discount: SignedAnswer.Discount,
        _ expected: ExpectedAnswer,
        _ offer: ExpectedAnswer.Offer,
        _ nonces: inout Set<String>
    ) -> String? {
        guard discount.identifier == offer.offerId else { return "the offer is another than was asked for" }
        guard nonces.insert(discount.nonce).inserted else { return "the nonce \(discount.nonce) came twice" }
        guard UUID(uuidString: discount.nonce) != nil, discount.nonce == discount.nonce.lowercased() else {
            return "the nonce is no UUID in lowercase"
        }
        let fields = [
            expected.bundleId, discount.keyIdentifier, offer.productId, offer.offerId, expected.account, discount.nonce,
            String(discount.timestamp),
        ]
        guard let der = Data(base64Encoded: discount.signature),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
        else { return "the signature is not DER in Base64" }
        guard key.isValidSignature(signature, for: Data(fields.joined(separator: "\u{2063}").utf8)) else {
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
