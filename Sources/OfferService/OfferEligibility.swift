public import Offers

/// A decision about one offer.
public struct OfferEligibility: Sendable {
    /// The offer.
    public let request: OfferRequest
    /// What was decided.
    public let decision: Decision
}
