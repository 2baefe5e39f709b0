import Foundation
import Synchronization
import Testing

@testable import Offers

/// A signer with given signatures.
private final class ScriptedSigner: ES256Signer {
    let keyIdentifier: String
    let messages = Mutex<[String]>([])
    private let signature: [UInt8]

    init(_ signature: [UInt8] = scriptedDER, keyIdentifier: String = "EXAMPLE123") {
        (self.signature, self.keyIdentifier) = (signature, keyIdentifier)
    }

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        let bytes = message.indices.map { message[$0] }
        messages.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        return signature
    }
}

/// r is 1 and s is 2.
private let scriptedDER: [UInt8] = [0x30, 6, 0x02, 1, 1, 0x02, 1, 2]

@Suite("JSON Web Tokens for App Store requests")
struct JSONWebTokenTests {
    private let issuer = AppStoreRequestIssuer(bundleId: "com.example.reader", issuerId: "57246542-issuer")

    private func parts(_ compact: String) throws -> [String] {
        try compact.split(separator: ".", omittingEmptySubsequences: false).map { part in
            var text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            #expect(!part.contains("="))
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            return String(decoding: try #require(Data(base64Encoded: text)), as: UTF8.self)
        }
    }

    @Test("Header, claims and signature, with what is signed before the last dot")
    func shape() throws {
        let signer = ScriptedSigner()
        var claims = JSONWebToken.Claims()
        claims.add("text", "a\"b\\c\n\u{1}ü🐝")
        claims.add("number", -7)
        claims.add("yes", true)
        claims.add("no", false)
        let compact = try JSONWebToken(claims, signer: signer).compact
        let parts = try parts(compact)
        #expect(parts.count == 3)
        #expect(parts[0] == #"{"alg":"ES256","kid":"EXAMPLE123","typ":"JWT"}"#)
        #expect(parts[1] == #"{"text":"a\"b\\c\u000a\u0001ü🐝","number":-7,"yes":true,"no":false}"#)
        let input = compact.split(separator: ".").dropLast().joined(separator: ".")
        #expect(signer.messages.withLock { $0 } == [input])
        // Python's urlsafe_b64encode of 31 zeros, 1, 31 zeros, 2.
        #expect(
            compact.hasSuffix(".AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAg")
        )
    }

    @Test("A promotional offer's claims are Apple's, in seconds, without exp, each with a nonce of its own")
    func promotionalOffer() throws {
        let moment = Timestamp(millisecondsSince1970: 1_795_226_400_987)
        var nonces: Set<Nonce> = []
        for transactionId in ["2000000000000001", nil] {
            let jws = try PromotionalOfferJWS(
                offerId: "comeback50",
                productId: "pro.monthly",
                transactionId: transactionId,
                issuer: issuer,
                timestamp: moment,
                signer: ScriptedSigner()
            )
            let named = transactionId.map { #","transactionId":"\#($0)""# } ?? ""
            #expect(
                try parts(jws.compact)[1]
                    == #"{"iss":"57246542-issuer","iat":1795226400,"aud":"promotional-offer","bid":"com.example.reader","#
                    + #""nonce":"\#(jws.nonce.text)","productId":"pro.monthly","offerIdentifier":"comeback50"\#(named)}"#
            )
            #expect(jws.keyIdentifier == "EXAMPLE123")
            #expect(jws.expiresAt == Timestamp(millisecondsSince1970: 1_795_312_800_000))
            #expect(nonces.insert(jws.nonce).inserted)
        }
    }

    @Test("An introductory offer's claims are Apple's", arguments: [true, false])
    func introductoryOffer(allows: Bool) throws {
        let jws = try IntroductoryOfferEligibilityJWS(
            productId: "pro.monthly",
            allowIntroductoryOffer: allows,
            transactionId: "7042",
            issuer: issuer,
            timestamp: Timestamp(millisecondsSince1970: 1_795_226_400_000),
            signer: ScriptedSigner()
        )
        #expect(
            try parts(jws.compact)[1]
                == #"{"iss":"57246542-issuer","iat":1795226400,"aud":"introductory-offer-eligibility","#
                + #""bid":"com.example.reader","nonce":"\#(jws.nonce.text)","productId":"pro.monthly","#
                + #""allowIntroductoryOffer":\#(allows),"transactionId":"7042"}"#
        )
    }

    @Test("DER becomes r and s of 32 bytes: short ones filled up, the sign's zero left out")
    func raw() throws {
        func number(_ bytes: [UInt8]) -> [UInt8] { [0x02, UInt8(bytes.count)] + bytes }
        func der(_ numbers: [UInt8]...) -> [UInt8] {
            let content = numbers.flatMap(number)
            return [0x30, UInt8(content.count)] + content
        }
        let high = [UInt8](repeating: 0xFF, count: 32)
        let filled = [UInt8](repeating: 0, count: 31)
        #expect(RawSignature(der: der([0] + high, [1]))?.bytes == high + filled + [1])
        #expect(RawSignature(der: der([0x7F], [0] + high))?.bytes == filled + [0x7F] + high)
        let bad: [[UInt8]] = [
            [], [0x30], [0x30, 0], der([1]), der([1], [2], [3]), der([1], [2]) + [0], der([1], high + [1, 1]),
            [0x31] + der([1], [2]).dropFirst(), [0x30, 6, 0x02, 1, 1, 0x02, 2, 2], [0x30, 6, 0x02, 1, 1, 0x04, 1, 2],
            [0x30, 5, 0x02, 1, 1, 0x02, 0], der([1] + high, [2]), Array(der([1], [2]).dropLast()),
        ]
        for bytes in bad { #expect(RawSignature(der: bytes) == nil, "\(bytes)") }
    }

    @Test("A signature that cannot be read is not given out")
    func garbage() {
        #expect(throws: SigningFailure.self) {
            try JSONWebToken(JSONWebToken.Claims(), signer: ScriptedSigner([0x30, 0x00]))
        }
    }
}
