/// What was decided about one offer, and why.
public struct Decision: Equatable, Sendable {
    /// The reason, which stands for the verdict too.
    public let reason: Reason
    /// The reason in a sentence or two, for people: what was seen, and what the offer asks for.
    public let detail: String
    /// Every rule that was asked, in order, the last being the one that refused where one did; `nil` unless an
    /// explanation was asked for.
    public let explanation: [RuleFinding]?
    /// When the offer would start; `nil` when the customer may not have it, or it cannot be known.
    public let begins: OfferStart?
    /// Whether the offer would end another that is running.
    public let replacesActiveOffer: Bool

    /// Whether the customer may have the offer.
    public var verdict: Verdict { reason.verdict }

    /// Creates a decision.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - detail: The reason in a sentence or two.
    ///   - explanation: Every rule that was asked; `nil` unless an explanation was asked for.
    ///   - begins: When the offer would start.
    ///   - replacesActiveOffer: Whether it would end another that is running.
    public init(
        _ reason: Reason,
        detail: String,
        explanation: [RuleFinding]? = nil,
        begins: OfferStart? = nil,
        replacesActiveOffer: Bool = false
    ) {
        self.reason = reason
        self.detail = detail
        self.explanation = explanation
        self.begins = begins
        self.replacesActiveOffer = replacesActiveOffer
    }
}
