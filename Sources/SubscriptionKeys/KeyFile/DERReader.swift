/// A position in DER, moving forward one element at a time (X.690 §8.1, §10.1).
///
/// It answers with positions, never with bytes, so that nothing private leaves the buffer. Every step is checked
/// against the bounds of the element around it. It reads what a key of 16 KiB can hold: tags of one byte, lengths up to 65535.
struct DERReader {
    /// The tags that a key uses.
    enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case octetString = 0x04
        case objectIdentifier = 0x06
        case sequence = 0x30
        /// `[1]`, implicit: the public key of RFC 5958 §2.
        case publicKey = 0x81
        /// `[0]` and `[1]`, explicit: the parameters and the public key of RFC 5915 §3.
        case context0 = 0xA0
        case context1 = 0xA1
    }

    /// The end of what may be read.
    private let end: Int
    private var position: Int

    /// Reads the content of an element, or a whole buffer.
    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    func isNext(_ tag: Tag, in der: Span<UInt8>) -> Bool {
        position < end && der[position] == tag.rawValue
    }

    /// Steps over the next element, and answers with the place of its content.
    mutating func next(_ tag: Tag, in der: Span<UInt8>, named name: String) throws(KeyError) -> Range<Int> {
        guard position < end else { throw KeyError(.malformedDER, "is not a PKCS#8 key, as it has no \(name)") }
        guard der[position] == tag.rawValue else {
            throw KeyError(.malformedDER, "is not a PKCS#8 key of a known shape, as its \(name) is something else")
        }
        position += 1
        let length = try length(in: der, of: name)
        guard length <= end - position else {
            throw KeyError(.truncated, "is cut short, as its \(name) is longer than the file")
        }
        defer { position += length }
        return position..<position + length
    }

    /// Reads a length: one byte below 128, else a count of bytes and the shortest big-endian number (X.690 §10.1).
    private mutating func length(in der: Span<UInt8>, of name: String) throws(KeyError) -> Int {
        guard let first = byte(in: der) else { throw KeyError(.truncated, "is cut short in the length of its \(name)") }
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...2).contains(count) else {
            throw KeyError(.malformedDER, "is not DER, as the length of its \(name) takes \(count) bytes")
        }
        var length = 0
        for _ in 0..<count {
            guard let next = byte(in: der) else {
                throw KeyError(.truncated, "is cut short in the length of its \(name)")
            }
            length = length << 8 | Int(next)
        }
        guard length >= (count == 1 ? 0x80 : 0x100) else {
            throw KeyError(.malformedDER, "is not DER, as the length of its \(name) is not in the shortest form")
        }
        return length
    }

    private mutating func byte(in der: Span<UInt8>) -> UInt8? {
        guard position < end else { return nil }
        defer { position += 1 }
        return der[position]
    }
}
