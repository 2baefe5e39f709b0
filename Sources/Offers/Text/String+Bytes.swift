extension String {
    /// Whether both are the same text byte for byte, as the App Store compares identifiers.
    ///
    /// Swift's `==` goes by canonical equivalence: U+212A KELVIN SIGN equals the letter K. An identifier that is found so
    /// would be signed, counted and recorded as another one than the catalog's.
    ///
    /// - Parameter other: The other text.
    /// - Returns: `true` when they have the same bytes in UTF-8.
    public func hasSameBytes(as other: String) -> Bool {
        let (own, others) = (utf8.span, other.utf8.span)
        guard own.count == others.count else { return false }
        for index in own.indices where own[index] != others[index] { return false }
        return true
    }
}
