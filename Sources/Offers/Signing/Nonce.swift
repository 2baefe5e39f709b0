/// The one-time UUID of a signature: random (version 4) and in lowercase, as Apple compares it.
///
/// Apple takes a nonce once, for one buy request. 122 random bits make a repetition impossible in practice.
public struct Nonce: Hashable, Sendable {
    /// The UUID's text, 36 characters in lowercase.
    public let text: String

    /// Makes a new nonce from the system's cryptographically secure generator.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Makes a nonce from the generator's next two words.
    ///
    /// - Parameter generator: Where the 122 random bits come from.
    public init(using generator: inout some RandomNumberGenerator) {
        // RFC 9562 §5.4: version 4 in the high nibble of octet 6, variant 10 in the two high bits of octet 8.
        let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
        let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        self.text = String(unsafeUninitializedCapacity: 36) { buffer in
            var position = 0
            for octet in 0..<16 {
                if octet == 4 || octet == 6 || octet == 8 || octet == 10 {
                    buffer[position] = UInt8(ascii: "-")
                    position += 1
                }
                let word = octet < 8 ? high : low
                let value = UInt8(truncatingIfNeeded: word >> UInt64(56 - octet % 8 * 8))
                buffer[position] = Self.digit(value >> 4)
                buffer[position + 1] = Self.digit(value & 0x0F)
                position += 2
            }
            return position
        }
    }

    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}
