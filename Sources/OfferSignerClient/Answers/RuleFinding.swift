/// A rule that was asked for a decision, with what it saw.
public struct RuleFinding: Codable, Equatable, Sendable {
    /// The rule's name: the catalog's key where it is about one.
    public let rule: String
    /// What it saw, in words.
    public let saw: String
    /// What it makes of that.
    public let verdict: Verdict
}
