import Crypto
import Offers
import Testing

@testable import Storage

@Suite("Digests of accounts")
struct DigestKeyTests {
    @Test("The code is that of swift-crypto for all lengths around the block's, also when the message begins before")
    func lengths() {
        for key in [1, 32, 63, 64, 65, 100, 128, 200] {
            let key = (0..<key).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
            for count in 0...130 {
                let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                let expected = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key))
                for beginning in [[], Array(message.prefix(5))] {
                    let begun = AuthenticationCode(key: key, beginning: beginning)
                    // Twice: what was taken in stays as it was.
                    for _ in 0..<2 {
                        let rest = Array(message.dropFirst(beginning.count))
                        #expect(Array(rest.withUnsafeBytes { begun.code(of: $0) }) == Array(expected))
                    }
                }
            }
        }
    }

    @Test("A digest is what Python's hmac makes of the format that the documents describe")
    func digests() throws {
        let key = try #require(DigestKey(bytes: Array(0..<32)))
        let account = key.accountDigest("anna.schmidt@example.com", bundleId: "com.example.reader")
        #expect(Hexadecimal.text(account) == "92e5705b5a87dbbd3ece83bc5f67e9d9")
        let none = key.digest(customer: nil, originalTransactionId: nil, bundleId: "com.example.reader")
        #expect(Hexadecimal.text(none) == "21a1e065939f5d73edaa3ef5114524bb")
        let long = key.accountDigest(String(repeating: "ü€😀", count: 50), bundleId: "com.example.reader")
        #expect(Hexadecimal.text(long) == "b01809b3ae5654d8041c7fa1a8359a7d")
        let transaction = key.digest(customer: nil, originalTransactionId: "1000", bundleId: "com.example.reader")
        #expect(Hexadecimal.text(transaction) == "7a14d236b82313cc9f05ce8610910109")
        #expect(key.digest(of: .none, bundleId: "com.example.reader") == nil)
        #expect(DigestKey(bytes: Array(0..<31)) == nil)
    }
}
