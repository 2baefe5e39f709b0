/// What was decided about an offer for a customer.
///
/// Only ``eligible`` is ever signed.
public enum Verdict: String, Sendable {
    /// The customer may have the offer.
    case eligible
    /// The customer may not have it.
    case ineligible
    /// The evidence cannot tell.
    case unknown
}
