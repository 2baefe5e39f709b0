/// Eight bytes of a string that are looked at together.
struct EightBytes {
    /// How many they are.
    static var count: Int { 8 }

    /// The bytes, the first of them lowest.
    let bits: UInt64

    /// Takes bytes.
    ///
    /// - Parameters:
    ///   - text: The bytes of the string, and of what is around it.
    ///   - start: Where the first of the eight is; seven come after it.
    init(_ text: Span<UInt8>, at start: Int) {
        bits = UInt64(littleEndian: text.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self))
    }

    /// Marks the first byte that does not stand for itself in a JSON string: a quote, a backslash or a control character.
    ///
    /// The lowest bit that is set is the high bit of that byte; bits above it say nothing. Subtracting from each byte
    /// borrows from its high bit where the byte was smaller; those that had the bit set before are left out. What a byte
    /// borrows from the next one may mark that as well, so that of the marks only the lowest is sure to be right.
    var marks: UInt64 {
        let (ones, highBits): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quotes = bits ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslashes = bits ^ ones &* UInt64(UInt8(ascii: "\\"))
        let found =
            (bits &- ones &* 0x20) & ~bits | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return found & highBits
    }

    /// Whether a single byte does not stand for itself in a JSON string (RFC 8259 §7).
    ///
    /// - Parameter byte: The byte.
    /// - Returns: `true` for a quote, a backslash and a control character.
    static func isMarked(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
    }
}
