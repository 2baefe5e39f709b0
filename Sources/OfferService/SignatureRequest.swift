package import Offers

/// A client's question: may this customer have these offers, and if so, the signatures.
package final class SignatureRequest: Sendable {
    /// The client that asks, by its name, for the ledger.
    package let client: String
    /// The app's bundle identifier.
    package let bundleId: String
    /// The account to sign for.
    package let account: Account
    /// What shows what the customer has; `nil` to decide by the state that the service holds.
    package let evidence: Evidence?
    /// The offers, in the order in which they are answered; one may repeat.
    package let offers: [OfferRequest]
    /// The forms in which eligible offers are signed, at least one.
    package let formats: Set<SignatureFormat>
    /// Whether each decision is to carry every rule that was asked.
    package let explain: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - client: The client that asks, by its name.
    ///   - bundleId: The app's bundle identifier.
    ///   - account: The account to sign for.
    ///   - evidence: What shows what the customer has.
    ///   - offers: The offers asked for.
    ///   - formats: The forms in which eligible offers are signed.
    ///   - explain: Whether each decision is to carry every rule that was asked.
    package init(
        client: String,
        bundleId: String,
        account: Account,
        evidence: Evidence?,
        offers: [OfferRequest],
        formats: Set<SignatureFormat> = [.discount],
        explain: Bool = false
    ) {
        self.client = client
        self.bundleId = bundleId
        self.account = account
        self.evidence = evidence
        self.offers = offers
        self.formats = formats
        self.explain = explain
    }
}

/// The answer to a ``SignatureRequest``: a decision for each offer, and a signature where it is eligible.
package struct SignatureAnswer: Sendable {
    /// The app's bundle identifier.
    package let bundleId: String
    /// The environment that the evidence is from; `nil` without evidence, or where it does not say.
    package let environment: AppStoreEnvironment?
    /// The account that the signatures are bound to: what the client has to set on the payment.
    package let account: Account
    /// One decision for each offer, in the order asked.
    package let decisions: [SignedDecision]
}

/// A decision about one offer, with the signed offer where it is eligible.
///
/// A reference: it is handed on from the signature to the ledger's answer, to the figures and to what is sent.
package final class SignedDecision: Sendable {
    /// The offer that was asked for.
    package let request: OfferRequest
    /// The decision.
    package let decision: Decision
    /// The offer signed for an `SKPaymentDiscount`; there only where the verdict is eligible and this form was asked for.
    package let discount: Discount?
    /// The offer signed as a JWS; there only where the verdict is eligible and this form was asked for.
    package let jws: PromotionalOfferJWS?

    init(request: OfferRequest, decision: Decision, discount: Discount?, jws: PromotionalOfferJWS?) {
        self.request = request
        self.decision = decision
        self.discount = discount
        self.jws = jws
    }

    /// The moment from which the App Store no longer takes one of the signatures; `nil` where nothing is signed.
    package var expiresAt: Timestamp? {
        guard let discount else { return jws?.expiresAt }
        guard let jws else { return discount.expiresAt }
        return min(discount.expiresAt, jws.expiresAt)
    }
}

/// Why a ``SignatureRequest`` has no answer at all.
///
/// One bad offer is no fault: it gets a decision.
package enum SignatureFault: Error, Equatable {
    /// The catalog does not have the app.
    case unknownApp(bundleId: String)
    /// The catalog asks for an account, and the request names none.
    case accountRequired
    /// A JWS was asked for, and the catalog does not name the issuer of the app's key.
    case issuerUnknown(bundleId: String)
    /// An introductory offer's JWS has to name a transaction of the customer, and none is known.
    case transactionRequired
    /// An introductory offer's JWS would name a transaction that is not known to be the customer's.
    case transactionMismatch
    /// The evidence cannot be taken.
    case evidence(EvidenceFault)
    /// The key did not sign.
    case signing(SigningFailure)
    /// The ledger did not take the signatures, or did not tell what it holds: none leaves.
    case ledger(StorageFailure)
    /// The request was given up while somebody was waited for: nothing is signed.
    case givenUp
}
