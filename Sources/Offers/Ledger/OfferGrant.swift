/// An offer that a customer may have, with its signatures: they leave together, or none does.
public struct OfferGrant: Equatable, Sendable {
    /// A signature, without its bytes: the nonce names it.
    public struct Signature: Equatable, Sendable {
        /// The form.
        public let form: SignatureForm
        /// The identifier of the key that signed.
        public let keyIdentifier: String
        /// The one-time UUID that was signed.
        public let nonce: Nonce
        /// The moment that was signed.
        public let timestamp: Timestamp

        /// Creates the description of a signature.
        ///
        /// - Parameters:
        ///   - form: The form.
        ///   - keyIdentifier: The identifier of the key that signed.
        ///   - nonce: The one-time UUID that was signed.
        ///   - timestamp: The moment that was signed.
        public init(form: SignatureForm, keyIdentifier: String, nonce: Nonce, timestamp: Timestamp) {
            self.form = form
            self.keyIdentifier = keyIdentifier
            self.nonce = nonce
            self.timestamp = timestamp
        }
    }

    /// The product and the offer; an introductory offer has no identifier, and an empty one here.
    public let offer: OfferRequest
    /// The reason of the decision, as answers give it.
    public let reason: String
    /// The subscription that decided: the identifier of its first purchase; `nil` where there is none.
    public let originalTransactionId: String?
    /// The signatures, one for each format.
    public let signatures: [Signature]
    /// How often the customer may get the offer signed; `nil` when there is no limit.
    public let signatureLimit: SignatureLimit?
    /// For how many customers the subscription may be presented within ``EvidenceSharing/periodDays``; `nil` when it is
    /// not counted, as for the account that the evidence itself names.
    public let maximumAccounts: Int?

    /// Creates a grant.
    ///
    /// - Parameters:
    ///   - offer: The product and the offer.
    ///   - reason: The reason of the decision, as answers give it.
    ///   - originalTransactionId: The subscription that decided.
    ///   - signatures: The signatures, one for each format.
    ///   - signatureLimit: How often the customer may get the offer signed.
    ///   - maximumAccounts: For how many customers the subscription may be presented.
    public init(
        offer: OfferRequest,
        reason: String,
        originalTransactionId: String?,
        signatures: [Signature],
        signatureLimit: SignatureLimit? = nil,
        maximumAccounts: Int? = nil
    ) {
        self.offer = offer
        self.reason = reason
        self.originalTransactionId = originalTransactionId
        self.signatures = signatures
        self.signatureLimit = signatureLimit
        self.maximumAccounts = maximumAccounts
    }
}
