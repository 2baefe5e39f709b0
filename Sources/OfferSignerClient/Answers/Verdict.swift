/// What was decided.
public enum Verdict: String, Codable, Sendable {
    /// The customer may have it.
    case eligible
    /// The customer may not have it.
    case ineligible
    /// The evidence does not tell. Nothing is signed then either.
    case unknown
}
