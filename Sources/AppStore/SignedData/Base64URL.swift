import FoundationEssentials

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
enum Base64URL {
    /// Decodes a text.
    ///
    /// - Parameter text: The text in UTF-8. Padding, white space and characters of another alphabet give `nil`.
    /// - Returns: The bytes.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var standard: [UInt8] = []
        standard.reserveCapacity(text.count + 3)
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: standard.append(byte)
            }
        }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(standard)).map { Array($0) }
    }
}
