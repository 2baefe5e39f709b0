/// The kinds of characters that Base64 is written with (RFC 4648 §4).
enum Base64Kind {
    case capital
    case small
    case digit
    /// `+` and the padding.
    case sign
    /// `/`, which divides paths, too.
    case slash

    /// The kind of a character.
    ///
    /// - Parameter byte: The character in UTF-8; no kind has any other.
    init?(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .capital
        case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .small
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
        case UInt8(ascii: "+"), UInt8(ascii: "="): self = .sign
        case UInt8(ascii: "/"): self = .slash
        default: return nil
        }
    }
}
