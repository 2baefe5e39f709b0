/// Hands out transaction identifiers: 16 digits, as Apple's have, in the order in which they are asked for.
struct TransactionNumbers: Sendable {
    private var last: Int64 = 2_000_000_000_000_000

    /// The next identifier.
    ///
    /// - Returns: Digits.
    mutating func next() -> String {
        last += 1
        return String(last)
    }
}
