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
        let bytes = text.utf8.span
        guard bytes.count >= 3 else { return false }
        for index in 0..<(bytes.count - 2)
        where bytes[index] == 0xE2 && bytes[index + 1] == 0x81 && bytes[index + 2] == 0xA3 {
            return true
        }
        return false
    }
}
