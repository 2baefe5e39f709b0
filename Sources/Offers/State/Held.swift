/// Something that Apple said, and when.
package struct Held<Value: Equatable & Sendable>: Equatable, Sendable {
    package let value: Value
    /// Apple's clock at that moment: `signedDate`, or the date of the answer.
    package let asOf: Timestamp

    package init(_ value: Value, asOf: Timestamp) {
        self.value = value
        self.asOf = asOf
    }

    func changed(_ change: (inout Value) -> Void) -> Held {
        var changed = value
        change(&changed)
        return Held(changed, asOf: asOf)
    }

    /// Of values that were said at the same time the greater one counts, so that their order of coming does not.
    func orNewer(_ other: Held, isLess: (Value, Value) -> Bool) -> Held {
        if asOf != other.asOf { return asOf > other.asOf ? self : other }
        return isLess(value, other.value) ? other : self
    }

    /// Whether it says no more than an earlier one did, less than an hour later.
    func isNoNews(after earlier: Held, _ isEqual: (Value, Value) -> Bool) -> Bool {
        asOf <= earlier.asOf.adding(seconds: 3600) && isEqual(value, earlier.value)
    }
}
