import FoundationEssentials

/// Base64 with the standard alphabet and padding (RFC 4648 §4).
enum Base64 {
    /// Decodes a text.
    ///
    /// - Parameter text: The text. White space and characters of another alphabet give `nil`.
    /// - Returns: The bytes.
    static func decode(_ text: String) -> [UInt8]? {
        Data(base64Encoded: text).map { Array($0) }
    }
}
