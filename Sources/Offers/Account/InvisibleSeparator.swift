/// U+2063 INVISIBLE SEPARATOR, which joins the fields of the signed payload.
///
/// A field that held it could pass for two fields, so nothing that holds it is ever signed.
public enum InvisibleSeparator {
    /// Its three bytes in UTF-8.
    public static let utf8: [UInt8] = [0xE2, 0x81, 0xA3]

    /// Whether the text holds the separator.
    ///
    /// - Parameter text: The text of a field.
    /// - Returns: `true` when it does.
    public static func isFound(in text: String) -> Bool {
        var matched = 0
        for byte in text.utf8 {
            if byte == utf8[matched] {
                matched += 1
                if matched == utf8.count { return true }
            } else {
                matched = byte == utf8[0] ? 1 : 0
            }
        }
        return false
    }
}
