/// What the configuration can say although nothing comes of it yet: the one list of it.
///
/// A line goes when what it names is built.
enum NotInEffectYet {
    /// Key paths, and what it means for the operator that they do nothing.
    ///
    /// `[]` stands for any element.
    private static let consequences: [String: String] = [:]

    /// What it means that a key does nothing.
    ///
    /// - Parameter keyPath: The path of a key that is set.
    /// - Returns: The consequence; `nil` when the key has its effect.
    static func consequence(of keyPath: String) -> String? {
        consequences[pattern(of: keyPath)]
    }

    /// The key path with `[]` for its indices.
    private static func pattern(of keyPath: String) -> String {
        keyPath.replacing(/\[[0-9]+\]/, with: "[]")
    }
}
