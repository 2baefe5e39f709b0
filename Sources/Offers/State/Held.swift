/// Something that Apple said, and when.
package struct Held<Value: Equatable & Sendable>: Equatable, Sendable {
    /// The value.
    package let value: Value
    /// Apple's clock when it was said: `signedDate`, or the date of the answer.
    package let asOf: Timestamp

    /// Holds a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - asOf: Apple's clock when it was said.
    package init(_ value: Value, asOf: Timestamp) {
        self.value = value
        self.asOf = asOf
    }

    /// The newer one of two.
    ///
    /// - Parameters:
    ///   - other: The other one.
    ///   - isLess: Orders values that were said at the same time, so that it does not matter in which order they came.
    /// - Returns: The one that counts.
    func orNewer(_ other: Held, isLess: (Value, Value) -> Bool) -> Held {
        if asOf != other.asOf { return asOf > other.asOf ? self : other }
        return isLess(value, other.value) ? other : self
    }

    /// Whether it says no more than an earlier one did, less than an hour later.
    func isNoNews(after earlier: Held, _ isEqual: (Value, Value) -> Bool) -> Bool {
        asOf <= earlier.asOf.adding(seconds: 3600) && isEqual(value, earlier.value)
    }
}
