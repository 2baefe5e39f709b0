package import Offers

/// A client's request about one customer of an app: a reference, which is handed on without a copy.
package final class CustomerRequest: Sendable {
    /// The difference between the three calls about a customer.
    package enum Kind: Sendable {
        /// Signatures of offers, in at least one form; an offer may repeat.
        case signatures([OfferRequest], formats: Set<SignatureFormat> = [.discount])
        /// Signed answers about the introductory offers of products.
        ///
        /// `transactionId` is any transaction of the customer, or the `appTransactionId`; with `nil`, the evidence
        /// supplies one. With `allowing: false`, refusals are signed, whatever the verdicts.
        case introductorySignatures([String], transactionId: String? = nil, allowing: Bool = true)
        /// Decisions alone, about offers and about the introductory offers of products; `nil` for every offer of the app.
        case eligibility([OfferRequest]?, products: [String] = [])
    }

    /// The client's name, for the ledger.
    package let client: String
    package let bundleId: String
    package let account: Account
    /// The evidence of the customer's purchases; `nil` to decide by held state.
    package let evidence: Evidence?
    /// The environments that count for the client, of those that count for the app; `nil` for all of these.
    package let environments: Set<AppStoreEnvironment>?
    package let kind: Kind
    /// Whether each decision carries every rule that was asked.
    package let explain: Bool
    /// The longest wait for the App Store; `nil` for the service's own.
    package let timeout: Duration?
    /// `nil` for a request without an `Idempotency-Key`.
    package let idempotency: Idempotency?
    /// `nil` but for the operators' page.
    let trial: Trial?

    /// Questions that only the operators' page may ask: nothing of them is counted, recorded or learnt.
    package struct Trial: Sendable {
        /// The subscription that is asked about, by what is held.
        let originalTransactionId: String?
        /// The moment of the decision; `nil` for now.
        let moment: Timestamp?

        package init(of originalTransactionId: String?, at moment: Timestamp?) {
            self.originalTransactionId = originalTransactionId
            self.moment = moment
        }
    }

    package init(
        client: String,
        bundleId: String,
        account: Account,
        evidence: Evidence?,
        environments: Set<AppStoreEnvironment>? = nil,
        _ kind: Kind,
        explain: Bool = false,
        trial: Trial? = nil,
        timeout: Duration? = nil,
        idempotency: Idempotency? = nil
    ) {
        self.client = client
        self.bundleId = bundleId
        self.account = account
        self.evidence = evidence
        self.environments = environments
        self.kind = kind
        self.explain = explain
        self.timeout = timeout
        self.idempotency = idempotency
        self.trial = trial
    }

    package var signatureCount: Int {
        switch kind {
        case .signatures(let offers, _): offers.count
        case .introductorySignatures(let products, _, _): products.count
        case .eligibility: 0
        }
    }

    /// The forms in which eligible promotional offers are signed.
    package var formats: Set<SignatureFormat> { if case .signatures(_, let formats) = kind { formats } else { [] } }

    var products: [String] {
        switch kind {
        case .signatures: []
        case .introductorySignatures(let products, _, _), .eligibility(_, let products): products
        }
    }

    /// Those of the app that count for the client.
    func environments(of app: App) -> Set<AppStoreEnvironment> {
        environments.map(app.environments.intersection) ?? app.environments
    }

    func offers(of app: App) -> [OfferRequest] {
        switch kind {
        case .signatures(let offers, _): offers
        case .introductorySignatures: []
        case .eligibility(let offers, _): offers ?? app.offers
        }
    }

    /// Whether a JWS is to be signed, which names the issuer of the app's key.
    var needsIssuer: Bool {
        if case .introductorySignatures = kind { true } else { formats.contains(.jws) }
    }

    /// Whether every transaction counts, not only the newest: introductory offers are for customers who never had one.
    var needsWholeHistory: Bool {
        switch kind {
        case .signatures: false
        case .introductorySignatures(_, _, let allowing): allowing
        case .eligibility(_, let products): !products.isEmpty
        }
    }
}

/// The part of a request that is answered once: the same call gets the same bytes.
package struct Idempotency: Sendable {
    package let call: IdempotentCall
    /// The bytes of an answer as they leave.
    let write: @Sendable (CustomerAnswer) -> [UInt8]

    package init(_ call: IdempotentCall, writing write: @escaping @Sendable (CustomerAnswer) -> [UInt8]) {
        self.call = call
        self.write = write
    }
}

/// The answer to a ``CustomerRequest``, with signatures where they were asked for and are allowed.
package struct CustomerAnswer: Sendable {
    package let request: CustomerRequest
    /// The environment of the evidence; `nil` without evidence, or where it does not say.
    package let environment: AppStoreEnvironment?
    /// Whether the service's clock is Apple's, as far as is known: offers begin, end and lapse by it.
    package let isClockRight: Bool
    /// Whether the evidence is the App Store's own answer to this service.
    package let isAppStores: Bool
    /// A decision for each promotional offer, in the order asked, or in the catalog's.
    package let decisions: [OfferAnswer]
    /// A decision for each product asked about, in the order asked.
    package let products: [ProductAnswer]
    /// The win-back offers that the customer may have in the groups asked about, in Apple's order.
    package let winBackOffers: [WinBackOffer]
}

/// A decision about one promotional offer, signed where it is eligible: a reference, handed on without a copy.
package final class OfferAnswer: Sendable {
    package let request: OfferRequest
    package let decision: Decision
    /// Signed for an `SKPaymentDiscount`.
    package let discount: Discount?
    package let jws: PromotionalOfferJWS?
    /// How many signatures of its limit the customer has; `nil` but for the operators' page.
    package let signatures: (count: Int, limit: SignatureLimit)?

    init(
        request: OfferRequest,
        decision: Decision,
        discount: Discount? = nil,
        jws: PromotionalOfferJWS? = nil,
        signatures: (count: Int, limit: SignatureLimit)? = nil
    ) {
        self.request = request
        self.decision = decision
        self.discount = discount
        self.jws = jws
        self.signatures = signatures
    }

    /// The moment from which the App Store refuses one of the signatures; `nil` where nothing is signed.
    package var expiresAt: Timestamp? {
        guard let discount else { return jws?.expiresAt }
        guard let jws else { return discount.expiresAt }
        return min(discount.expiresAt, jws.expiresAt)
    }
}

/// A decision about the introductory offer of one product.
package struct ProductAnswer: Sendable {
    package let productId: String
    package let introductoryOffer: IntroductoryDecision
    /// The signature; `nil` where nothing is known to sign: the App Store decides by itself then.
    package let jws: IntroductoryOfferEligibilityJWS?
    /// The win-back offers that the customer may have in the product's group, in Apple's order.
    package let winBackOffers: [WinBackOffer]
}

/// The reason why a ``CustomerRequest`` has no answer at all; one bad offer is no fault, but gets a decision.
package enum SignatureFault: Error, Equatable {
    case unknownApp(bundleId: String)
    /// The catalog asks for an account, and the request names none.
    case accountRequired
    /// A JWS was asked for, and the catalog does not name the issuer of the app's key.
    case issuerUnknown(bundleId: String)
    /// An introductory offer's JWS has to name a transaction of the customer, and none is known.
    case transactionRequired
    /// An introductory offer's JWS would name a transaction that is not known to be the customer's.
    case transactionMismatch
    /// The same, as the evidence is not the customer's; the detail says how that is known.
    case evidenceOfOthers(detail: String)
    case evidence(EvidenceFault)
    case signing(SigningFailure)
    /// The ledger did not record the signatures, or did not tell its content: none leaves.
    case ledger(StorageFailure)
    /// The request was given up during a wait: nothing is signed.
    case givenUp
}
