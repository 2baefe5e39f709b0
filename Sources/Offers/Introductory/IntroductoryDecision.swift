/// Whether a customer may have the introductory offer of a product, and why.
public struct IntroductoryDecision: Equatable, Sendable {
    /// The reason, which stands for the verdict too.
    public let reason: IntroductoryReason
    /// The reason in a sentence or two, for people.
    public let detail: String
    /// Every rule that was asked, in order; `nil` unless an explanation was asked for.
    public let explanation: [RuleFinding]?

    /// Whether the customer may have it.
    public var verdict: Verdict { reason.verdict }

    /// Creates a decision.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - detail: The reason in a sentence or two.
    ///   - explanation: Every rule that was asked; `nil` unless an explanation was asked for.
    public init(_ reason: IntroductoryReason, detail: String, explanation: [RuleFinding]? = nil) {
        self.reason = reason
        self.detail = detail
        self.explanation = explanation
    }
}
