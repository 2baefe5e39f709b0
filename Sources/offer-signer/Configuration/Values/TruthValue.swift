/// Truth values as the configuration writes them.
enum TruthValue {
    /// Reads a truth value.
    ///
    /// - Parameter text: `true` or `false`.
    /// - Returns: The value.
    /// - Throws: ``ValueFault`` for anything else.
    static func parse(_ text: String) throws(ValueFault) -> Bool {
        switch text {
        case "true": return true
        case "false": return false
        default: throw ValueFault("\(Echo.quoted(text)) is neither true nor false")
        }
    }
}
