/// A decision about a product's introductory offer.
public struct IntroductoryDecision: Codable, Equatable, Sendable {
    /// What was decided.
    public let verdict: Verdict
    /// Why.
    public let reason: Reason
    /// Why, in an English sentence for support and logs, whose wording may change.
    public let detail: String
    /// Every rule that was asked, where that was asked for.
    public let explanation: [RuleFinding]?
}
