import Crypto
import Offers
import Testing

@testable import Storage

@Suite("Digests of accounts")
struct DigestKeyTests {
    /// A test case of RFC 4231, section 4.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    private static let cases = [
        Case(
            testDescription: "1",
            key: Array(repeating: 0x0B, count: 20),
            message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        Case(
            testDescription: "2, a key shorter than a code",
            key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        Case(
            testDescription: "3, more than a block",
            key: Array(repeating: 0xAA, count: 20),
            message: Array(repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        Case(
            testDescription: "4",
            key: Array(1...25),
            message: Array(repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        Case(
            testDescription: "6, a key longer than a block",
            key: Array(repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        Case(
            testDescription: "7, both longer than a block",
            key: Array(repeating: 0xAA, count: 131),
            message: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8
            ),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test("The code is that of RFC 4231, also when the message begins before", arguments: cases)
    func knownAnswers(known: Case) {
        let whole = AuthenticationCode(key: known.key)
        // Twice: what was taken in stays as it was.
        for _ in 0..<2 { #expect(digits(code(whole, of: known.message)) == known.code) }
        let begun = AuthenticationCode(key: known.key, beginning: Array(known.message.prefix(5)))
        for _ in 0..<2 { #expect(digits(code(begun, of: Array(known.message.dropFirst(5)))) == known.code) }
    }

    @Test("The code is that of swift-crypto for keys and messages of all lengths around the block's")
    func lengths() {
        for key in [1, 32, 63, 64, 65, 100, 128, 200] {
            let key = (0..<key).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
            for count in 0...130 {
                let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                let expected = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key))
                #expect(Array(code(AuthenticationCode(key: key), of: message)) == Array(expected))
            }
        }
    }

    @Test("A digest is what Python's hmac makes of the format that the documents describe")
    func digests() throws {
        let key = try #require(DigestKey(bytes: Array(0..<32)))
        let account = key.accountDigest("anna.schmidt@example.com", bundleId: "com.example.reader")
        #expect(digits(account) == "92e5705b5a87dbbd3ece83bc5f67e9d9")
        let none = key.digest(customer: nil, originalTransactionId: nil, bundleId: "com.example.reader")
        #expect(digits(none) == "21a1e065939f5d73edaa3ef5114524bb")
        let long = key.accountDigest(String(repeating: "ü€😀", count: 50), bundleId: "com.example.reader")
        #expect(digits(long) == "b01809b3ae5654d8041c7fa1a8359a7d")
        let transaction = key.digest(customer: nil, originalTransactionId: "1000", bundleId: "com.example.reader")
        #expect(digits(transaction) == "7a14d236b82313cc9f05ce8610910109")
        #expect(key.digest(of: .none, bundleId: "com.example.reader") == nil)
        #expect(DigestKey(bytes: Array(0..<31)) == nil)
    }

    private func code(_ begun: AuthenticationCode, of message: [UInt8]) -> SHA256Digest {
        message.withUnsafeBytes { begun.code(of: $0) }
    }

    private func digits(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
