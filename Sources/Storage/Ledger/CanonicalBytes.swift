/// The one way to write values as bytes that are hashed or signed, so that no two things have the same bytes.
///
/// A line of ASCII that says what follows and ends with a line feed; then the values in their order: a number as 8 bytes,
/// big-endian, two's complement; a text or bytes as their length in 4 bytes, big-endian, and then themselves, text in
/// UTF-8; nothing as the length FFFFFFFF.
struct CanonicalBytes {
    private(set) var bytes: [UInt8]
    /// How many bytes the title has, with its line feed.
    let titleCount: Int

    /// Goes on with values after a title that was taken elsewhere.
    init() {
        bytes = []
        bytes.reserveCapacity(128)
        titleCount = 0
    }

    init(_ title: String) {
        bytes = []
        bytes.reserveCapacity(512)
        bytes.append(contentsOf: title.utf8)
        bytes.append(UInt8(ascii: "\n"))
        titleCount = bytes.count
    }

    /// Takes the values away and leaves the title, to write others in the same memory.
    mutating func removeValues() {
        bytes.removeLast(bytes.count - titleCount)
    }

    mutating func append(_ number: Int64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: String?) {
        guard let text else { return append(length: .max) }
        append(length: UInt32(truncatingIfNeeded: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ value: [UInt8]?) {
        guard let value else { return append(length: .max) }
        append(length: UInt32(truncatingIfNeeded: value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func append(length: UInt32) {
        withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
