/// Keeps aliases of aliases from growing without bounds while YAML is parsed.
///
/// Anchors and aliases are refused anywhere in the tree (``ConfigurationNode``). But Yams compares the keys
/// of a mapping while it builds the tree, and an alias in a key stands for all that its anchor has. Few aliases cannot
/// grow to much, so a text that may have more is refused before it is parsed.
enum AliasGuard {
    /// What to tell about such a text.
    static let message = "has too many YAML anchors and aliases; they are not supported, write the values out"

    private static let mostAliases = 16

    /// Looks for words that may be anchors (`&name`) and aliases (`*name`), in comments and quotation marks too.
    ///
    /// - Parameter text: The YAML.
    /// - Returns: The line of the first alias, from 1, when there are too many.
    static func firstLineOfTooManyAliases(_ text: String) -> Int? {
        var hasAnchor = false
        var aliases = 0
        var line = 1
        var firstLine: Int?
        var mayBegin = true
        let bytes = text.utf8.span
        for index in bytes.indices {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "&") where mayBegin: hasAnchor = true
            case UInt8(ascii: "*") where mayBegin:
                aliases += 1
                firstLine = firstLine ?? line
            case UInt8(ascii: "\n"): line += 1
            default: break
            }
            mayBegin = begins(after: byte)
        }
        return hasAnchor && aliases > mostAliases ? firstLine : nil
    }

    /// Whether an anchor or alias may follow the byte: white space, flow indicators, wide line breaks.
    private static func begins(after byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ","),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ":"),
            UInt8(ascii: "?"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0x80...:
            true
        default: false
        }
    }
}
