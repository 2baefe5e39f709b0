/// Something that is held, with who said it and when.
public struct Held<Value: Equatable & Sendable>: Equatable, Sendable {
    /// What was said.
    public let value: Value
    /// Apple's clock when it was said: `signedDate`, or the date of the verifyReceipt answer.
    public let asOf: Timestamp
    /// Who said it.
    public let source: StateSource

    /// Holds a value.
    ///
    /// - Parameters:
    ///   - value: What was said.
    ///   - asOf: Apple's clock when it was said.
    ///   - source: Who said it.
    public init(_ value: Value, asOf: Timestamp, source: StateSource) {
        self.value = value
        self.asOf = asOf
        self.source = source
    }

    /// The one of two that counts: what Apple said before what a client says, then the newer one.
    ///
    /// - Parameters:
    ///   - other: The other one.
    ///   - isLess: Orders values that were said by the same source at the same time, so that it does not matter in
    ///     which order they came.
    /// - Returns: The one that counts.
    func orNewer(_ other: Held, isLess: (Value, Value) -> Bool) -> Held {
        if source.isApples != other.source.isApples { return source.isApples ? self : other }
        if asOf != other.asOf { return asOf > other.asOf ? self : other }
        if source != other.source { return source.rawValue > other.source.rawValue ? self : other }
        return isLess(value, other.value) ? other : self
    }
}
