/// An offer that a customer may have, with its signatures: they leave together, or none does.
package struct OfferGrant: Equatable, Sendable {
    /// A signature, without its bytes: the nonce names it.
    package struct Signature: Equatable, Sendable {
        /// The form.
        package let form: SignatureForm
        /// The identifier of the key that signed.
        package let keyIdentifier: String
        /// The one-time UUID that was signed.
        package let nonce: Nonce
        /// The moment that was signed.
        package let timestamp: Timestamp

        /// Creates the description of a signature.
        ///
        /// - Parameters:
        ///   - form: The form.
        ///   - keyIdentifier: The identifier of the key that signed.
        ///   - nonce: The one-time UUID that was signed.
        ///   - timestamp: The moment that was signed.
        package init(form: SignatureForm, keyIdentifier: String, nonce: Nonce, timestamp: Timestamp) {
            self.form = form
            self.keyIdentifier = keyIdentifier
            self.nonce = nonce
            self.timestamp = timestamp
        }
    }

    /// The product and the offer; an introductory offer has no identifier, and an empty one here.
    package let offer: OfferRequest
    /// The reason of the decision, as answers give it.
    package let reason: String
    /// The subscription that decided: the identifier of its first purchase; `nil` where there is none.
    package let originalTransactionId: String?
    /// The other identifiers of that subscription: limits count under each of them.
    package let otherIds: [String]
    /// The signatures, one for each format.
    package let signatures: [Signature]
    /// How often the customer may get the offer signed; `nil` when there is no limit.
    package let signatureLimit: SignatureLimit?
    /// The number of customers who may present the subscription within ``EvidenceSharing/periodDays``.
    ///
    /// `nil` where it is not counted, as for the account that the evidence itself names. A request that names nobody is
    /// refused while customers are.
    package let maximumAccounts: Int?

    /// Creates a grant.
    ///
    /// - Parameters:
    ///   - offer: The product and the offer.
    ///   - reason: The reason of the decision, as answers give it.
    ///   - originalTransactionId: The subscription that decided.
    ///   - otherIds: The other identifiers of that subscription.
    ///   - signatures: The signatures, one for each format.
    ///   - signatureLimit: How often the customer may get the offer signed.
    ///   - maximumAccounts: For how many customers the subscription may be presented.
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

/// What one request got signed: it is kept as a whole, and nothing of it leaves before.
///
/// It is a class so that handing it on copies nothing.
package final class LedgerEntry: Sendable {
    /// When it was signed, by the server's clock.
    package let time: Timestamp
    /// The client that asked, by its name in `clients.yaml`; ``commandLine`` for `offer-signer sign`.
    package let client: String
    /// The app's bundle identifier.
    package let bundleId: String
    /// The environment that the evidence is from; `nil` without evidence, or where it does not say.
    package let environment: AppStoreEnvironment?
    /// The kind of the evidence; `nil` when the request carried none.
    package let evidence: EvidenceKind?
    /// The account that was signed: it is kept as a keyed digest alone.
    package let account: Account
    /// The customer for limits, see ``Account/customer(by:)``: it is kept as a keyed digest alone.
    package let customer: String?
    /// The account that the customer is known to have though nothing was signed for it: limits count for it.
    package let knownAccount: AccountDigest?
    /// The offers that were signed, in the order asked.
    package let grants: [OfferGrant]
    /// The call of Apple's that this answers, with the answer, which is kept in the same transaction; `nil` for none.
    package let answer: KeptAnswer?

    /// The client of signatures that an operator made on the command line.
    package static let commandLine = "offer-signer sign"
    /// The client of offers that went to customers who were about to cancel: no client of `clients.yaml` has its name.
    package static let retention = "retention"

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - time: When it was signed.
    ///   - client: The client that asked.
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment that the evidence is from.
    ///   - evidence: The kind of the evidence.
    ///   - account: The account that was signed.
    ///   - customer: The customer for limits.
    ///   - knownAccount: The account that the customer is known to have though nothing was signed for it.
    ///   - grants: The offers that were signed.
    ///   - answer: The call of Apple's that this answers, with the answer.
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

extension LedgerEntry: Equatable {
    /// Whether two say the same.
    package static func == (left: LedgerEntry, right: LedgerEntry) -> Bool {
        left.time == right.time && left.client == right.client && left.bundleId == right.bundleId
            && left.environment == right.environment && left.evidence == right.evidence
            && left.account == right.account && left.customer == right.customer
            && left.knownAccount == right.knownAccount && left.grants == right.grants && left.answer == right.answer
    }
}

/// An answer to a call of Apple's, which the same call gets again.
package struct KeptAnswer: Equatable, Sendable {
    /// The call.
    package let call: RetentionCallKey
    /// The answer's bytes.
    package let body: [UInt8]

    /// Keeps an answer.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - body: The answer's bytes.
    package init(call: RetentionCallKey, body: [UInt8]) {
        self.call = call
        self.body = body
    }
}

/// What became of a grant in the ledger.
package enum GrantOutcome: Equatable, Sendable {
    /// Its signatures are on durable storage: they may leave.
    case recorded
    /// The customer has as many signatures of the offer as the catalog allows; with how many there are.
    case signatureLimit(count: Int)
    /// The subscription was presented for as many other customers as the catalog allows; with how many there are.
    case evidenceShared(others: Int)
    /// The call was answered before, with these bytes: nothing of the entry was recorded.
    case answered([UInt8])
}

/// The forms of a signature in the ledger; the raw values are those of its records.
package enum SignatureForm: String, CaseIterable, Sendable {
    /// A promotional offer, for an `SKPaymentDiscount`.
    case discount
    /// A promotional offer, as a JWS.
    case jws
    /// A JWS that says that the customer may have the introductory offer.
    case introductoryAllowed
    /// A JWS that says that the customer may not have the introductory offer.
    case introductoryRefused
}
