/// What was decided about one offer, and why.
public struct Decision: Equatable, Sendable {
    /// The reason, which stands for the verdict too.
    public let reason: Reason
    /// The reason in a sentence or two, for people: what was seen, and what the offer asks for.
    public let detail: String

    /// Whether the customer may have the offer.
    public var verdict: Verdict { reason.verdict }

    /// Creates a decision.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - detail: The reason in a sentence or two.
    public init(_ reason: Reason, detail: String) {
        self.reason = reason
        self.detail = detail
    }
}
