struct EightBytes {
    static var count: Int { 8 }

    /// The bytes, the first of them lowest.
    let bits: UInt64

    /// Seven more bytes have to follow the first.
    init(_ text: Span<UInt8>, at start: Int) {
        bits = UInt64(littleEndian: text.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self))
    }

    /// Marks the first byte that does not stand for itself in a JSON string: a quote, a backslash or a control character.
    ///
    /// The lowest bit that is set is the high bit of that byte; bits above it say nothing. Subtracting from each byte
    /// borrows from its high bit where the byte was smaller; those that had the bit set before are left out. A byte's
    /// borrow from the next one may mark that as well, so that of the marks only the lowest is sure to be right.
    var marks: UInt64 {
        let (ones, highBits): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quotes = bits ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslashes = bits ^ ones &* UInt64(UInt8(ascii: "\\"))
        return ((bits &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones)) & ~bits & highBits
    }

    /// Whether two texts are the same, byte for byte.
    static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        guard left.count >= count else {
            for index in left.indices where left[index] != right[index] { return false }
            return true
        }
        var index = 0
        while index < left.count - count {
            guard EightBytes(left, at: index).bits == EightBytes(right, at: index).bits else { return false }
            index += count
        }
        // The last eight, some of which were among those before.
        index = left.count - count
        return EightBytes(left, at: index).bits == EightBytes(right, at: index).bits
    }

    /// Whether a byte is a quote, a backslash or a control character, which do not stand for themselves (RFC 8259 §7).
    static func isMarked(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
    }
}
