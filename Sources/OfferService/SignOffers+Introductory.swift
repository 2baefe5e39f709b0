package import Offers

/// Introductory offers, by the steps of promotional ones: decided, signed, recorded, and released.
///
/// The App Store obeys the signature, so `true` is signed only where the verdict is eligible. Unknown is not signed:
/// without a signature the App Store decides by what it knows itself. A client that would not let the customer have the
/// offer gets refusals for every product of the catalog.
extension SignOffers {
    /// A request of which each product is decided, and nothing is signed yet.
    package final class DecidedProducts: Sendable {
        fileprivate struct Product: Sendable {
            let id: String
            let decision: IntroductoryDecision
            /// The statement to sign; `nil` for none.
            let claim: Claim?
        }

        fileprivate struct Claim: Sendable {
            let allows: Bool
            let transactionId: String
        }

        fileprivate let request: IntroductorySignatureRequest
        fileprivate let signing: SigningApp
        fileprivate let issuer: AppStoreRequestIssuer
        fileprivate let moment: Timestamp
        fileprivate let environment: AppStoreEnvironment?
        fileprivate let products: [Product]

        fileprivate init(
            _ request: IntroductorySignatureRequest,
            _ signing: SigningApp,
            _ issuer: AppStoreRequestIssuer,
            _ products: [Product],
            in environment: AppStoreEnvironment?,
            at moment: Timestamp
        ) {
            self.request = request
            self.signing = signing
            self.issuer = issuer
            self.moment = moment
            self.environment = environment
            self.products = products
        }
    }

    /// Decides about introductory offers, as far as that goes without waiting for anybody.
    ///
    /// - Parameter request: The request.
    /// - Returns: The decisions, which ``SignOffers/sign(_:)-(DecidedProducts)`` signs.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    package func decide(
        _ request: IntroductorySignatureRequest
    ) throws(SignatureFault) -> Step<DecidedProducts, SignatureFault> {
        try customer(of: request).then { (customer) throws(SignatureFault) in
            .now(try self.decide(request, for: customer))
        }
    }

    /// Decides about introductory offers for a customer who is known.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - customer: Its customer.
    /// - Returns: The decisions.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    package func decide(
        _ request: IntroductorySignatureRequest,
        for customer: KnownCustomer
    ) throws(SignatureFault) -> DecidedProducts {
        let signing = customer.signing
        guard let issuer = signing.issuer else { throw .issuerUnknown(bundleId: request.bundleId) }
        let history = customer.history
        if let named = request.transactionId, !request.names(named, history) { throw .transactionMismatch }
        var policy = IntroductoryPolicy(
            app: signing.app,
            customer: Customer(account: request.account, sharing: history),
            now: customer.moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: history),
            maximumHeldAgeSeconds: maximumEvidenceAgeSeconds
        )
        // No transaction is looked for where the client names one.
        let newest =
            request.transactionId == nil
            ? history.map { NewestTransactions($0.value, of: signing.app, for: request.account) } : nil
        var products: [DecidedProducts.Product] = []
        products.reserveCapacity(request.products.count)
        for id in request.products {
            let decision = metrics.rooms.measure(.decision) { policy.decide(id, explaining: request.explain) }
            var claim: DecidedProducts.Claim?
            if let allows = Self.answer(decision, request, isInCatalog: signing.app.product(id) != nil) {
                // Evidence that is too old or incomplete leaves the verdict unknown, and names the customer all the same.
                let namesCustomer = decision.verdict != .unknown || policy.isEvidenceOfCustomer(about: id)
                let known = namesCustomer ? newest : nil
                // A transaction of evidence about somebody else is not this customer's.
                if request.transactionId != nil, !namesCustomer, history != nil { throw .transactionMismatch }
                guard let transactionId = Self.transactionId(of: request, known, id, of: signing.app) else {
                    throw .transactionRequired
                }
                claim = DecidedProducts.Claim(allows: allows, transactionId: transactionId)
            }
            products.append(DecidedProducts.Product(id: id, decision: decision, claim: claim))
        }
        let environment = history?.value.environment
        return DecidedProducts(request, signing, issuer, products, in: environment, at: customer.moment)
    }

    /// Signs the decisions about introductory offers.
    ///
    /// - Parameter decided: The decisions.
    /// - Returns: The answer, which may leave once the ledger has its entry.
    /// - Throws: ``SignatureFault`` when something could not be signed: nothing is given out then.
    package func sign(
        _ decided: DecidedProducts
    ) throws(SignatureFault) -> PreparedAnswer<IntroductorySignatureAnswer> {
        let (request, moment) = (decided.request, decided.moment)
        var products: [SignedProductEligibility] = []
        products.reserveCapacity(decided.products.count)
        for product in decided.products {
            var jws: IntroductoryOfferEligibilityJWS?
            if let claim = product.claim {
                do throws(SigningFailure) {
                    jws = try metrics.rooms.measure(.signature) { () throws(SigningFailure) in
                        try IntroductoryOfferEligibilityJWS(
                            productId: product.id,
                            allowIntroductoryOffer: claim.allows,
                            transactionId: claim.transactionId,
                            issuer: decided.issuer,
                            timestamp: moment,
                            signer: decided.signing.signer
                        )
                    }
                } catch {
                    throw .signing(error)
                }
            }
            products.append(
                SignedProductEligibility(productId: product.id, introductoryOffer: product.decision, jws: jws)
            )
        }
        let grants = products.compactMap(\.grant)
        return PreparedAnswer(
            IntroductorySignatureAnswer(
                bundleId: request.bundleId,
                environment: decided.environment,
                account: request.account,
                products: products
            ),
            entry: grants.isEmpty
                ? nil
                : LedgerEntry(
                    time: moment,
                    client: request.client,
                    bundleId: request.bundleId,
                    environment: decided.environment,
                    evidence: request.evidence?.kind,
                    account: request.account,
                    customer: request.account.customer(by: decided.signing.app.customerSeparator),
                    grants: grants
                )
        )
    }

    /// The answer about introductory offers, once the ledger has its entry.
    ///
    /// No limit holds for these, as the App Store gives an introductory offer once.
    ///
    /// - Parameters:
    ///   - prepared: The prepared answer.
    ///   - outcomes: The outcomes of its entry's grants, in their order; none without an entry.
    /// - Returns: The answer, which may leave; without signatures where the ledger did not take all of them.
    package func release(
        _ prepared: PreparedAnswer<IntroductorySignatureAnswer>,
        by outcomes: [GrantOutcome]
    ) -> IntroductorySignatureAnswer {
        let answer = prepared.released(by: outcomes)
        for product in answer.products {
            metrics.decisions.count(product.introductoryOffer.reason)
            guard let jws = product.jws else { continue }
            signatureCounters[answer.bundleId]?.countIntroductory(allowing: jws.allowIntroductoryOffer)
        }
        return answer
    }

    /// The statement to sign; `nil` for none.
    private static func answer(
        _ decision: IntroductoryDecision,
        _ request: IntroductorySignatureRequest,
        isInCatalog: Bool
    ) -> Bool? {
        guard isInCatalog else { return nil }
        guard request.allowIntroductoryOffer else { return false }
        switch decision.verdict {
        case .eligible: return true
        case .ineligible: return false
        case .unknown: return nil
        }
    }

    /// A transaction by which the App Store knows the customer: the one that the client names, else the newest of the
    /// product's group, else any that the evidence has, else the one that the App Store was asked about.
    private static func transactionId(
        of request: IntroductorySignatureRequest,
        _ newest: NewestTransactions?,
        _ productId: String,
        of app: App
    ) -> String? {
        if let named = request.transactionId { return named }
        guard let newest else { return nil }
        let group = app.product(productId)?.group.id
        if let id = newest.identifier(inGroup: group) ?? newest.identifier(inGroup: nil) { return id }
        if case .question(.transactionId(let id, _)) = request.evidence { return id }
        return nil
    }
}

extension IntroductorySignatureRequest {
    /// Whether a transaction is known to be the customer's: one of the history, or the one that the App Store was asked about.
    fileprivate func names(_ transactionId: String, _ history: SharedHistory?) -> Bool {
        if case .question(.transactionId(transactionId, _)) = evidence { return true }
        return history?.value.names(transactionId) ?? false
    }
}

extension SignedProductEligibility {
    /// The signature as the ledger keeps it; `nil` where there is none.
    fileprivate var grant: OfferGrant? {
        jws.map { jws in
            OfferGrant(
                offer: OfferRequest(productId: productId, offerId: ""),
                reason: introductoryOffer.reason.rawValue,
                originalTransactionId: nil,
                signatures: [
                    OfferGrant.Signature(
                        form: jws.allowIntroductoryOffer ? .introductoryAllowed : .introductoryRefused,
                        keyIdentifier: jws.keyIdentifier,
                        nonce: jws.nonce,
                        timestamp: jws.issuedAt
                    )
                ]
            )
        }
    }
}
