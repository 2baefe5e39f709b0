import OfferService

/// The name of a request in logs: taken from `X-Request-ID`, or made.
struct RequestID: Equatable, Sendable {
    /// How long one may be that is taken, in characters.
    static let maximumLength = 128

    /// Letters, digits and `-._~+/=:@`.
    let text: String

    /// Takes what a client or a proxy sent.
    ///
    /// - Parameter text: The value of `X-Request-ID`.
    init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isSafe) else { return nil }
        self.text = text
    }

    /// Makes one: 128 random bits.
    init() {
        var generator = RandomWords()
        let words = (generator.next(), generator.next())
        text = String(unsafeUninitializedCapacity: 32) { digits in
            for index in 0..<32 {
                let nibble = (index < 16 ? words.0 : words.1) >> (60 - 4 * UInt64(index % 16)) & 0xF
                digits[index] = UInt8(nibble < 10 ? 0x30 + nibble : 0x57 + nibble)
            }
            return 32
        }
    }

    /// Whether a character can stand in any log or header without being quoted.
    private static func isSafe(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/=:@".utf8.contains(character)
        }
    }
}
