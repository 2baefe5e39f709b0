/// An offer that a customer may have, with its signatures: they leave together, or none does.
package struct OfferGrant: Equatable, Sendable {
    /// A signature without its bytes: the nonce names it.
    package struct Signature: Equatable, Sendable {
        package let form: SignatureForm
        package let keyIdentifier: String
        package let nonce: Nonce
        package let timestamp: Timestamp

        package init(form: SignatureForm, keyIdentifier: String, nonce: Nonce, timestamp: Timestamp) {
            self.form = form
            self.keyIdentifier = keyIdentifier
            self.nonce = nonce
            self.timestamp = timestamp
        }
    }

    /// The product and the offer; an introductory offer has an empty identifier.
    package let offer: OfferRequest
    /// As answers give it.
    package let reason: String
    /// The subscription that decided: the identifier of its first purchase; `nil` where there is none.
    package let originalTransactionId: String?
    /// The other identifiers of that subscription: limits count under each of them.
    package let otherIds: [String]
    /// One for each format.
    package let signatures: [Signature]
    /// `nil` when there is no limit.
    package let signatureLimit: SignatureLimit?
    /// How many customers may present the subscription within ``EvidenceSharing/periodDays``.
    ///
    /// `nil` where it is not counted, as for the account that the evidence itself names. A request that names nobody is
    /// refused while customers are.
    package let maximumAccounts: Int?

    package init(
        offer: OfferRequest,
        reason: String,
        originalTransactionId: String?,
        otherIds: [String] = [],
        signatures: [Signature],
        signatureLimit: SignatureLimit? = nil,
        maximumAccounts: Int? = nil
    ) {
        self.offer = offer
        self.reason = reason
        self.originalTransactionId = originalTransactionId
        self.otherIds = otherIds
        self.signatures = signatures
        self.signatureLimit = signatureLimit
        self.maximumAccounts = maximumAccounts
    }
}

/// The signatures of one request: they are kept as a whole, and none leaves before.
///
/// It is a class so that handing it on copies nothing.
package final class LedgerEntry: Sendable {
    /// By the server's clock.
    package let time: Timestamp
    /// By its name in `clients.yaml`; ``commandLine`` for `offer-signer sign`.
    package let client: String
    package let bundleId: String
    /// The environment of the evidence; `nil` without evidence, or where it does not say.
    package let environment: AppStoreEnvironment?
    /// `nil` when the request carried none.
    package let evidence: EvidenceKind?
    /// The account that was signed: it is kept as a keyed digest alone.
    package let account: Account
    /// The customer for limits, see ``Account/customer(by:)``: it is kept as a keyed digest alone.
    package let customer: String?
    /// The account that the customer is known to have though nothing was signed for it: limits count for it.
    package let knownAccount: AccountDigest?
    /// In the order asked.
    package let grants: [OfferGrant]
    /// The answer, where the same call is to get it again: it is kept in the same transaction.
    package let answer: KeptAnswer?

    /// The client of signatures that an operator made on the command line.
    package static let commandLine = "offer-signer sign"
    /// The client of offers to customers who were about to cancel: no client of `clients.yaml` has its name.
    package static let retention = "retention"

    package init(
        time: Timestamp,
        client: String,
        bundleId: String,
        environment: AppStoreEnvironment?,
        evidence: EvidenceKind?,
        account: Account,
        customer: String?,
        knownAccount: AccountDigest? = nil,
        grants: [OfferGrant],
        answer: KeptAnswer? = nil
    ) {
        self.time = time
        self.client = client
        self.bundleId = bundleId
        self.environment = environment
        self.evidence = evidence
        self.account = account
        self.customer = customer
        self.knownAccount = knownAccount
        self.grants = grants
        self.answer = answer
    }
}

/// The outcome of a grant in the ledger.
package enum GrantOutcome: Equatable, Sendable {
    /// Its signatures are on durable storage: they may leave.
    case recorded
    /// The customer has as many signatures of the offer as the catalog allows, and this is their number.
    case signatureLimit(count: Int)
    /// The subscription was presented for as many other customers as the catalog allows, and this is their number.
    case evidenceShared(others: Int)
    /// The call was answered before, with these bytes: nothing of the entry was recorded.
    case answered([UInt8])
    /// Another request came with the same `Idempotency-Key` before: nothing of the entry was recorded.
    case keyReused
}

/// The raw values are those of the ledger's records.
package enum SignatureForm: String, CaseIterable, Sendable {
    /// A promotional offer, for an `SKPaymentDiscount`.
    case discount
    /// A promotional offer, as a JWS.
    case jws
    /// A JWS by which the customer may have the introductory offer.
    case introductoryAllowed
    /// A JWS by which the customer may not have the introductory offer.
    case introductoryRefused
}
