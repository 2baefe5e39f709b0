/// The one way to write values as bytes that are hashed or signed, so that no two things have the same bytes.
///
/// A line of ASCII that says what follows and ends with a line feed; then the values in their order: a number as 8 bytes,
/// big-endian, two's complement; a text or bytes as their length in 4 bytes, big-endian, and then themselves, text in
/// UTF-8; nothing as the length FFFFFFFF.
struct CanonicalBytes {
    private(set) var bytes: [UInt8]

    /// Goes on with values after a title that was taken elsewhere.
    init() {
        bytes = []
        bytes.reserveCapacity(128)
    }

    init(_ title: String) {
        bytes = []
        bytes.reserveCapacity(512)
        bytes.append(contentsOf: title.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func append(_ number: Int64) {
        appendBigEndian(UInt64(bitPattern: number), byteCount: 8)
    }

    mutating func append(_ text: String?) {
        guard let text else { return appendBigEndian(0xFFFF_FFFF, byteCount: 4) }
        appendBigEndian(UInt64(text.utf8.count), byteCount: 4)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ value: [UInt8]?) {
        guard let value else { return appendBigEndian(0xFFFF_FFFF, byteCount: 4) }
        appendBigEndian(UInt64(value.count), byteCount: 4)
        bytes.append(contentsOf: value)
    }

    private mutating func appendBigEndian(_ number: UInt64, byteCount: Int) {
        for index in (0..<byteCount).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))))
        }
    }
}
