import Offers

/// A product of a request with the decision about its introductory offer.
struct DecidedProduct: Sendable {
    struct Claim: Sendable {
        let allows: Bool
        /// A transaction by which the App Store knows the customer.
        let transactionId: String
    }

    let id: String
    let decision: IntroductoryDecision
    /// `nil` where nothing is signed.
    let claim: Claim?
}

/// Introductory offers.
///
/// The App Store obeys the signature, so `true` is signed only where the verdict is eligible. Unknown is not signed:
/// without a signature the App Store decides by its own knowledge. A client that would not let the customer have the
/// offer gets refusals for every product of the catalog.
extension SignOffers {
    func decidedProducts(
        of request: CustomerRequest,
        for customer: KnownCustomer
    ) throws(SignatureFault) -> [DecidedProduct] {
        let ids = request.products
        guard !ids.isEmpty else { return [] }
        let (app, book) = (customer.signing.app, customer.book)
        var named: String?
        if case .introductorySignatures(_, let transactionId?, _) = request.kind {
            guard request.names(transactionId, book) else { throw .transactionMismatch }
            named = transactionId
        }
        var policy = IntroductoryPolicy(
            app: app,
            customer: customer.customer,
            now: customer.moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: book),
            maximumHeldAgeSeconds: maximumEvidenceAgeSeconds,
            environments: request.environments(of: app)
        )
        // No transaction is looked for where the client names one.
        let newest =
            request.signatureCount > 0 && named == nil
            ? book.map { NewestTransactions($0, of: app, for: request.account) } : nil
        var products: [DecidedProduct] = []
        products.reserveCapacity(ids.count)
        for id in ids {
            let decision = metrics.stages.measure(.decision) { policy.decide(id, explaining: request.explain) }
            var claim: DecidedProduct.Claim?
            if let group = app.product(id)?.group, let allows = request.statement(by: decision) {
                // Evidence that is too old or incomplete leaves the verdict unknown, and names the customer all the same.
                let namesCustomer = decision.verdict != .unknown || policy.isEvidenceOfCustomer(about: id)
                // A transaction of evidence about somebody else is not this customer's.
                guard namesCustomer || book == nil else { throw .evidenceOfOthers(detail: decision.detail) }
                guard let transactionId = named ?? newest.flatMap({ request.transactionId(in: $0, of: group) }) else {
                    throw .transactionRequired
                }
                claim = DecidedProduct.Claim(allows: allows, transactionId: transactionId)
            }
            products.append(DecidedProduct(id: id, decision: decision, claim: claim))
        }
        return products
    }
}

extension CustomerRequest {
    /// The statement to sign; `nil` for none.
    fileprivate func statement(by decision: IntroductoryDecision) -> Bool? {
        guard case .introductorySignatures(_, _, let allowing) = kind else { return nil }
        guard allowing else { return false }
        switch decision.verdict {
        case .eligible: return true
        case .ineligible: return false
        case .unknown: return nil
        }
    }

    /// A transaction by which the App Store knows the customer: the newest of a group, else any of the evidence, else
    /// the one that the App Store was asked about.
    fileprivate func transactionId(in newest: NewestTransactions, of group: SubscriptionGroup) -> String? {
        if let id = newest.identifier(inGroup: group.id) ?? newest.identifier(inGroup: nil) { return id }
        if case .question(.transactionId(let id, _)) = evidence { return id }
        return nil
    }

    /// Whether a transaction is known to be the customer's: one of the book, or the one that the App Store was asked
    /// about.
    fileprivate func names(_ transactionId: String, _ book: Book?) -> Bool {
        if case .question(.transactionId(transactionId, _)) = evidence { return true }
        return book?.names(transactionId) ?? false
    }
}

extension DecidedProduct {
    /// The signed statement; `nil` for none.
    func jws(by stamp: OfferStamp) throws(SigningFailure) -> IntroductoryOfferEligibilityJWS? {
        guard let claim, let issuer = stamp.signing.issuer else { return nil }
        return try stamp.stages.measure(.signature) { () throws(SigningFailure) in
            try IntroductoryOfferEligibilityJWS(
                productId: id,
                allowIntroductoryOffer: claim.allows,
                transactionId: claim.transactionId,
                issuer: issuer,
                timestamp: stamp.moment,
                signer: stamp.signer
            )
        }
    }
}

extension ProductAnswer {
    /// The signature for the ledger; `nil` for none.
    var grant: OfferGrant? {
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
