/// What one rule saw and how it ruled: a line of the explanation that a decision carries on request.
public struct RuleFinding: Equatable, Sendable {
    /// The rule's name: the catalog's key where it is about one.
    public let rule: String
    /// What the rule saw, in a sentence or two for people.
    public let saw: String
    /// How it ruled: ``Verdict/eligible`` when the offer passes it.
    public let verdict: Verdict

    /// Creates a line.
    ///
    /// - Parameters:
    ///   - rule: The rule's name.
    ///   - saw: What it saw.
    ///   - verdict: How it ruled.
    public init(rule: String, saw: String, verdict: Verdict) {
        self.rule = rule
        self.saw = saw
        self.verdict = verdict
    }
}
