import Crypto
import Foundation
import Testing

@testable import LoadGenerator

@Suite("Checking signatures")
struct SignatureCheckerTests {
    private let key = P256.Signing.PrivateKey()
    private static let nonce = "0f4c7a6e-3b43-4b8e-9d9d-3c1b1f3f4a55"

    /// An answer whose signature is over these fields, which may be others than it shows.
    private func answer(
        offer: String = "comeback50",
        nonce: String = Self.nonce,
        signedAccount: String = "alice",
        signer: P256.Signing.PrivateKey? = nil,
        keyIdentifier: String = "KEY1"
    ) throws -> [UInt8] {
        let fields = [
            "com.example.reader", keyIdentifier, "pro.monthly", "comeback50", signedAccount, nonce, "1795226400000",
        ]
        let payload = Data(fields.joined(separator: "\u{2063}").utf8)
        let signature = try (signer ?? key).signature(for: payload).derRepresentation.base64EncodedString()
        return Array(
            #"""
            {"bundleId":"com.example.reader","account":{"applicationUsername":"alice"},"decisions":[{"productId":
            "pro.monthly","offerId":"\#(offer)","verdict":"eligible","reason":"lapsed","detail":"…","discount":
            {"identifier":"\#(offer)","keyIdentifier":"\#(keyIdentifier)","nonce":"\#(nonce)","timestamp":1795226400000,
            "signature":"\#(signature)"},"expiresAt":"2026-11-22T02:00:00Z"}]}
            """#.utf8
        )
    }

    private func check(_ bodies: [[UInt8]], _ keys: [P256.Signing.PrivateKey]? = nil) throws -> SignatureChecker.Outcome
    {
        let pems = (keys ?? [key]).map(\.publicKey.pemRepresentation)
        let checker = try #require(SignatureChecker(pem: pems.joined(separator: "\n")))
        let expected = ExpectedAnswer(
            bundleId: "com.example.reader",
            account: "alice",
            offers: [ExpectedAnswer.Offer(productId: "pro.monthly", offerId: "comeback50")]
        )
        var seen = SignatureChecker.Seen()
        var outcome = SignatureChecker.Outcome()
        for body in bodies { checker.check(body, expected, &seen, &outcome) }
        return outcome
    }

    @Test("A signature over the fields of the request is right")
    func right() throws {
        let outcome = try check([answer()])
        #expect(outcome.checked == 1)
        #expect(outcome.wrong == 0)
    }

    @Test("Another key, account, offer, a nonce that comes twice or is no UUID in lowercase, and no answer are wrong")
    func wrong() throws {
        let faults = [
            [try answer(signer: P256.Signing.PrivateKey())], [try answer(signedAccount: "bob")],
            [try answer(offer: "stay30")], [try answer(nonce: Self.nonce.uppercased())], [try answer(nonce: "1")],
            [try answer(), try answer()], [Array("{}".utf8)], [Array("no".utf8)],
        ]
        for bodies in faults {
            let outcome = try check(bodies)
            #expect(outcome.wrong == 1)
            #expect(outcome.firstFault != nil)
        }
    }

    @Test("Of several keys, each is for one key identifier: a signature by another of them is wrong")
    func rotation() throws {
        let second = P256.Signing.PrivateKey()
        func answer(_ number: Int, by signer: P256.Signing.PrivateKey, _ keyIdentifier: String) throws -> [UInt8] {
            let nonce = String(Self.nonce.dropLast()) + "\(number)"
            return try self.answer(nonce: nonce, signer: signer, keyIdentifier: keyIdentifier)
        }
        let right = [try answer(1, by: key, "KEY1"), try answer(2, by: second, "KEY2"), try answer(3, by: key, "KEY1")]
        #expect(try check(right, [key, second]).wrong == 0)
        #expect(try check(right, [key]).wrong == 1)
        let swapped = [try answer(1, by: key, "KEY1"), try answer(2, by: second, "KEY1")]
        #expect(try check(swapped, [key, second]).wrong == 1)
    }

    @Test("A file is no better for its first key: the others are read, too")
    func brokenSecondKey() {
        #expect(SignatureChecker(pem: key.publicKey.pemRepresentation + "\n-----BEGIN PUBLIC KEY-----\nAAAA\n") == nil)
    }

    @Test(
        "A text that is no public key of P-256 is refused",
        arguments: ["", "hello", "-----BEGIN PUBLIC KEY-----\nAAAA\n"]
    )
    func keys(pem: String) {
        #expect(SignatureChecker(pem: pem) == nil)
    }
}
