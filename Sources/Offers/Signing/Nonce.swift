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
        self.text = String.uuid(octets: 16) { octet in
            UInt8(truncatingIfNeeded: (octet < 8 ? high : low) >> UInt64(56 - octet % 8 * 8))
        }
    }
}
