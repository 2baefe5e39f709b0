/// The control characters of ASCII, U+0000 to U+001F and U+007F, which no identifier has.
///
/// Databases end a text at U+0000 or refuse it: an identifier that held one could not be read back as it was kept.
public enum ControlCharacter {
    /// Whether the text holds one.
    ///
    /// - Parameter text: The text.
    /// - Returns: `true` when it does.
    public static func isFound(in text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F { return true }
        return false
    }
}
