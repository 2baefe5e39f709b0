public import Offers

/// A decision about one offer, with the signed offer where it is eligible.
///
/// A reference: it is handed on from the signature to the ledger's answer, to the figures and to what is sent.
public final class SignedDecision: Sendable {
    /// The offer that was asked for.
    public let request: OfferRequest
    /// What was decided.
    public let decision: Decision
    /// The offer signed for an `SKPaymentDiscount`; there only where the verdict is eligible and this form was asked for.
    public let discount: Discount?
    /// The offer signed as a JWS; there only where the verdict is eligible and this form was asked for.
    public let jws: PromotionalOfferJWS?

    init(request: OfferRequest, decision: Decision, discount: Discount?, jws: PromotionalOfferJWS?) {
        self.request = request
        self.decision = decision
        self.discount = discount
        self.jws = jws
    }

    /// The moment from which the App Store no longer takes one of the signatures; `nil` where nothing is signed.
    public var expiresAt: Timestamp? {
        guard let discount else { return jws?.expiresAt }
        guard let jws else { return discount.expiresAt }
        return min(discount.expiresAt, jws.expiresAt)
    }
}
