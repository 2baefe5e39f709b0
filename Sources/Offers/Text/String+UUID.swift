extension String {
    /// The text of a UUID in lowercase: 8-4-4-4-12 hexadecimal digits (RFC 9562 §4).
    ///
    /// - Parameters:
    ///   - count: How many octets there are, 16 at the most.
    ///   - octet: The octet at a place.
    /// - Returns: The text.
    static func uuid(octets count: Int, _ octet: (Int) -> UInt8) -> String {
        String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            func append(_ character: UInt8) {
                text[end] = character
                end += 1
            }
            for place in 0..<Swift.min(count, 16) {
                if place == 4 || place == 6 || place == 8 || place == 10 { append(UInt8(ascii: "-")) }
                let value = octet(place)
                append(Hexadecimal.digit(value >> 4))
                append(Hexadecimal.digit(value & 15))
            }
            return end
        }
    }
}
