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
        /// `[0]` and `[1]`, explicit: the parameters and the public key of RFC 5915 §3.
        case context0 = 0xA0
        case context1 = 0xA1
    }

    /// The end of what may be read.
    private let end: Int
    /// The next byte to read.
    private var position: Int

    /// Reads the content of an element, or a whole buffer.
    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    /// Whether everything was read.
    var isAtEnd: Bool { position == end }

    /// Whether the next element has this tag.
    func isNext(_ tag: Tag, in der: Span<UInt8>) -> Bool {
        position < end && der[position] == tag.rawValue
    }

    /// Steps over the next element.
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

/// The object identifiers that tell one kind of private key from another, as DER content bytes.
enum ObjectIdentifier {
    /// id-ecPublicKey, 1.2.840.10045.2.1 (RFC 5480 §2.1.1).
    static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// rsaEncryption, 1.2.840.113549.1.1.1, and the arc of its kin such as RSASSA-PSS.
    static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    static let rsaPSS: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A]
    /// secp256r1, 1.2.840.10045.3.1.7 (RFC 5480 §2.1.1.1): P-256.
    static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// The name of an algorithm that is neither EC nor RSA (RFC 8410 §3), else its identifier.
    static func algorithmName(_ identifier: [UInt8]) -> String {
        switch identifier {
        case [0x2B, 0x65, 0x6E]: "X25519"
        case [0x2B, 0x65, 0x6F]: "X448"
        case [0x2B, 0x65, 0x70]: "Ed25519"
        case [0x2B, 0x65, 0x71]: "Ed448"
        default: "algorithm \(dotted(identifier))"
        }
    }

    /// The name of a curve (RFC 5480 §2.1.1.1, SEC 2), else its identifier.
    static func curveName(_ identifier: [UInt8]) -> String {
        switch identifier {
        case [0x2B, 0x81, 0x04, 0x00, 0x22]: "P-384"
        case [0x2B, 0x81, 0x04, 0x00, 0x23]: "P-521"
        case [0x2B, 0x81, 0x04, 0x00, 0x21]: "P-224"
        case [0x2B, 0x81, 0x04, 0x00, 0x0A]: "secp256k1"
        default: "curve \(dotted(identifier))"
        }
    }

    /// The identifier as numbers with dots (X.690 §8.19).
    private static func dotted(_ identifier: [UInt8]) -> String {
        var arcs: [UInt64] = []
        var arc: UInt64 = 0
        for byte in identifier {
            arc = arc << 7 | UInt64(byte & 0x7F)
            guard byte < 0x80 else { continue }
            // The first number holds two: 40 times the first arc, which is at most 2, plus the second.
            arcs += arcs.isEmpty ? [min(arc / 40, 2), arc - 40 * min(arc / 40, 2)] : [arc]
            arc = 0
        }
        return arcs.map(String.init).joined(separator: ".")
    }
}
