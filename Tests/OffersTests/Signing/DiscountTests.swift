import Offers
import Synchronization
import Testing

/// A signer that shows what it was given.
final class RecordingSigner: ES256Signer {
    let keyIdentifier = "EXAMPLE123"
    let messages = Mutex<[[UInt8]]>([])

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        let bytes = message.indices.map { message[$0] }
        messages.withLock { $0.append(bytes) }
        return [0x30, 0x00]
    }
}

@Suite("Signed offers")
struct DiscountTests {
    @Test("The answer has the fields that were signed")
    func consistent() throws {
        let signer = RecordingSigner()
        let discount = try Discount(
            offerId: "comeback",
            productId: "pro.monthly",
            bundleId: "com.example.reader",
            account: .applicationUsername("Alice"),
            timestamp: clock,
            signer: signer
        )
        let expected = try DiscountPayload(
            bundleId: "com.example.reader",
            keyIdentifier: discount.keyIdentifier,
            productId: "pro.monthly",
            offerId: discount.identifier,
            account: .applicationUsername("Alice"),
            nonce: discount.nonce,
            timestamp: discount.timestamp
        )
        #expect(signer.messages.withLock { $0 } == [expected.bytes])
        #expect(discount.signature == [0x30, 0x00])
    }

    @Test("A signature is good for 24 hours after its timestamp")
    func expiry() throws {
        let discount = try Discount(
            offerId: "o",
            productId: "p",
            bundleId: "b",
            account: .none,
            timestamp: clock,
            signer: RecordingSigner()
        )
        #expect(discount.expiresAt == day(1))
    }
}
