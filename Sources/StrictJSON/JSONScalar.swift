/// A JSON value that is neither object nor array, a number as it was written.
public enum JSONScalar: Equatable, Sendable {
    /// A string.
    case string(String)
    /// A number's text, which RFC 8259's grammar allows: no rounding has happened.
    case number(String)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
}
