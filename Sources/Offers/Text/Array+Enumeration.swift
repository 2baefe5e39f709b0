extension [String] {
    /// The texts as a sentence lists them: `a, b and c`.
    var enumeration: String {
        guard count > 1, let last else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }
}
