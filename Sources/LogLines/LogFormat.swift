import Glibc

/// How log lines look.
public enum LogFormat: String, CaseIterable, Sendable {
    /// Text where people read along, on a terminal; JSON elsewhere.
    case auto
    /// One JSON object a line.
    case json
    /// Plain text, one event a line.
    case text

    /// The format to write in, JSON or text.
    ///
    /// - Parameter descriptor: The file descriptor that is written to.
    /// - Returns: The format.
    func resolved(for descriptor: Int32) -> LogFormat {
        guard self == .auto else { return self }
        return isatty(descriptor) == 1 ? .text : .json
    }
}
