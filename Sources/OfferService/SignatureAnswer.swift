public import Offers

/// The answer to a ``SignatureRequest``: a decision for each offer, and a signature where it is eligible.
public struct SignatureAnswer: Sendable {
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environment that the evidence is from; `nil` without evidence, or where it does not say.
    public let environment: AppStoreEnvironment?
    /// The account that the signatures are bound to: what the client has to set on the payment.
    public let account: Account
    /// One decision for each offer, in the order asked.
    public let decisions: [SignedDecision]
}

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
