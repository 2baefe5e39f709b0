import Crypto
import Foundation
import NIOCore
import Testing

@testable import AppStoreSimulator
@testable import LoadGenerator

@Suite("Retention calls, and the answers to them")
struct RetentionRequestsTests {
    private static let first: Int64 = 1_790_000_000_000_000
    private static let nonce = "0f4c7a6e-3b43-4b8e-9d9d-3c1b1f3f4a55"

    private let appleKey = P256.Signing.PrivateKey()
    private let key = P256.Signing.PrivateKey()

    private var requests: MadeUpRequests {
        let payload =
            #"{"originalTransactionId":"\#(MadeUpRequests.identifierMark)","#
            + #""requestIdentifier":"\#(MadeUpRequests.accountMark)"}"#
        let offer = ExpectedAnswer.Offer(productId: "p", offerId: "o")
        return MadeUpRequests(
            .number(3),
            from: Self.first,
            expecting: ExpectedAnswer(bundleId: "b", account: "", offers: [offer]),
            areCalls: true,
            body: Array(#"{"signedPayload":"\#(MadeUpRequests.signedMark(0))"}"#.utf8),
            payloads: [Array(payload.utf8)],
            signer: AppStoreSigner(key: appleKey, chain: [[1]])
        ) { HTTPRequestBytes.head("/v1/retention-messages", host: "h", token: nil, bodyLength: $0) }
    }

    private func base64(_ text: Substring) throws -> Data {
        let digits = text.replacing("-", with: "+").replacing("_", with: "/")
        return try #require(Data(base64Encoded: digits + String(repeating: "=", count: (4 - digits.count % 4) % 4)))
    }

    /// What a call says, whose signature is good.
    private func payload(_ request: String) throws -> [String: String] {
        let parts = request.split(separator: "\r\n\r\n", maxSplits: 1)
        try #require(parts.count == 2)
        #expect(parts[0].hasSuffix("Content-Length: \(parts[1].utf8.count)"))
        #expect(!parts[0].contains("Authorization"))
        let body = try #require(try JSONSerialization.jsonObject(with: Data(parts[1].utf8)) as? [String: String])
        let jws = try #require(body["signedPayload"]).split(separator: ".")
        try #require(jws.count == 3)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: base64(jws[2]))
        #expect(appleKey.publicKey.isValidSignature(signature, for: Data("\(jws[0]).\(jws[1])".utf8)))
        return try #require(try JSONSerialization.jsonObject(with: base64(jws[1])) as? [String: String])
    }

    @Test(
        "Each call is a whole request about a known customer, with an identifier of its own, signed ahead of time or not"
    )
    func calls() async throws {
        var requests = requests
        try await requests.prepare(10)
        var identifiers: Set<String> = []
        for number in 0..<20 {
            let said = try payload(String(buffer: requests.request(number)))
            let subscription = try #require(said["originalTransactionId"])
            #expect(subscription == requests.expected(number).originalTransactionId)
            #expect((Self.first..<Self.first + 3).map { String($0) }.contains(subscription))
            let identifier = try #require(said["requestIdentifier"])
            #expect(UUID(uuidString: identifier) != nil)
            identifiers.insert(identifier)
        }
        #expect(identifiers.count == 20)
    }

    /// An answer with an offer, as the service signs it.
    private func answer(_ changes: [String: String] = [:], alg: String = "ES256", key: P256.Signing.PrivateKey? = nil)
        throws -> [UInt8]
    {
        var claims = [
            "aud": "promotional-offer", "bid": "b", "productId": "p", "offerIdentifier": "o", "transactionId": "7",
            "nonce": Self.nonce,
        ]
        claims.merge(changes) { $1 }
        let parts = try [["alg": alg, "kid": "KEY1"], claims].map { part in
            var text: [UInt8] = []
            Base64URL.append(Array(try JSONSerialization.data(withJSONObject: part)), to: &text)
            return String(decoding: text, as: UTF8.self)
        }
        let text = parts.joined(separator: ".")
        var signature: [UInt8] = []
        let raw = try (key ?? self.key).signature(for: Data(text.utf8)).rawRepresentation
        Base64URL.append(Array(raw), to: &signature)
        let jws = text + "." + String(decoding: signature, as: UTF8.self)
        return Array(#"{"promotionalOffer":{"messageIdentifier":"m","promotionalOfferSignatureV2":"\#(jws)"}}"#.utf8)
    }

    private func check(_ bodies: [[UInt8]]) throws -> SignatureChecker.Outcome {
        let checker = try #require(SignatureChecker(pem: key.publicKey.pemRepresentation))
        var expected = ExpectedAnswer(
            bundleId: "b",
            account: "",
            offers: [ExpectedAnswer.Offer(productId: "p", offerId: "o")]
        )
        expected.originalTransactionId = "7"
        var seen = SignatureChecker.Seen()
        var outcome = SignatureChecker.Outcome()
        for body in bodies { checker.check(body, expected, &seen, &outcome) }
        return outcome
    }

    @Test("An offer that is signed for the subscription is right, and a message has no signature to check")
    func right() throws {
        let outcome = try check([answer(), Array(#"{"message":{"messageIdentifier":"m"}}"#.utf8)])
        #expect((outcome.checked, outcome.wrong) == (1, 0))
    }

    @Test("Another key, algorithm, use, app, product, offer or subscription, and a nonce that comes twice, are wrong")
    func wrong() throws {
        let faults = [
            [try answer(key: P256.Signing.PrivateKey())], [try answer(alg: "none")], [try answer(["aud": "other"])],
            [try answer(["bid": "other"])], [try answer(["productId": "q"])], [try answer(["offerIdentifier": "q"])],
            [try answer(["transactionId": "8"])], [try answer(["nonce": Self.nonce.uppercased()])],
            [try answer(), try answer()],
        ]
        for bodies in faults { #expect(try check(bodies).wrong == 1) }
    }

    @Test(
        "An answer is one of three things",
        arguments: [
            (#"{"message":{"messageIdentifier":"m"}}"#, "message"), (#"{"alternateProduct":{}}"#, "alternateProduct"),
            (#"{"promotionalOffer":{"promotionalOfferSignatureV2":"a"}}"#, "promotionalOffer"), ("{}", nil),
            ("no", nil), (#"{"code":"no_retention_message"}"#, nil),
        ] as [(String, String?)]
    )
    func kinds(body: String, kind: String?) {
        #expect(RetentionAnswer(json: Array(body.utf8))?.kind.rawValue == kind)
    }
}
