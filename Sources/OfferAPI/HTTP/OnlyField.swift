/// A header field that counts only where it is there once: of two values nobody can say which was meant.
struct OnlyField: Sendable {
    private var first: String?
    private var isRepeated = false

    /// Begins with no such field.
    init() {}

    /// Whether there is such a field, once or more often.
    var isThere: Bool { first != nil }

    /// Whether there is no such field, or one.
    var isUnambiguous: Bool { !isRepeated }

    /// The value of the only such field; `nil` where there is none, or more than one.
    var value: String? { isRepeated ? nil : first }

    /// Takes note of a field.
    ///
    /// - Parameter value: Its value.
    mutating func add(_ value: String) {
        isRepeated = first != nil
        if !isRepeated { first = value }
    }
}
