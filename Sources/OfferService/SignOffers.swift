public import Offers

/// The main use case: reads the evidence, decides about each offer, signs those that the customer may have.
///
/// Plain synchronous functions over values, without I/O: it runs on whatever thread the request is on.
public struct SignOffers<Signer: OfferSigner, Reader: EvidenceReader>: Sendable {
    /// How far ahead of the server's clock evidence may be dated, in seconds, before it counts as not genuine.
    public static var toleratedClockSkewSeconds: Int64 { 300 }

    let apps: [String: SigningApp<Signer>]
    let maximumEvidenceAgeSeconds: Int64
    let now: @Sendable () -> Timestamp
    private let evidenceReader: Reader

    /// Creates the use case.
    ///
    /// - Parameters:
    ///   - apps: The apps of the catalog with their keys; of two with one bundle identifier the first counts.
    ///   - evidenceReader: Reads evidence from the App Store.
    ///   - maximumEvidenceAgeSeconds: How old evidence may be, in seconds; 0 for no limit.
    ///   - now: The server's clock.
    public init(
        apps: [SigningApp<Signer>],
        evidenceReader: Reader,
        maximumEvidenceAgeSeconds: Int64,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.apps = Dictionary(apps.map { ($0.app.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.evidenceReader = evidenceReader
        self.maximumEvidenceAgeSeconds = maximumEvidenceAgeSeconds
        self.now = now
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - skippingEligibility: Whether to sign on an operator's word, without a look at the customer. The catalog and
    ///     the offers' windows hold all the same.
    /// - Returns: A decision for each offer, in the order asked.
    /// - Throws: ``SignatureFault`` when there is no answer at all; nothing has been given out then.
    public func answer(
        _ request: SignatureRequest,
        skippingEligibility: Bool = false
    ) throws(SignatureFault) -> SignatureAnswer {
        guard let signing = apps[request.bundleId] else { throw .unknownApp(bundleId: request.bundleId) }
        if signing.app.requiresAccount, request.account == .none { throw .accountRequired }
        let moment = now()
        let history = try history(from: request.evidence, at: moment)
        var policy = OfferPolicy(
            app: signing.app,
            customer: Customer(account: request.account, history: history),
            now: moment,
            maximumEvidenceAgeSeconds: maximumEvidenceAgeSeconds
        )
        var decisions: [SignedDecision] = []
        decisions.reserveCapacity(request.offers.count)
        for offer in request.offers {
            let decision =
                skippingEligibility
                ? policy.decideWithoutEligibility(offer, explaining: request.explain)
                : policy.decide(offer, explaining: request.explain)
            let discount = try discount(for: offer, decision, account: request.account, by: signing, at: moment)
            decisions.append(SignedDecision(request: offer, decision: decision, discount: discount))
        }
        return SignatureAnswer(
            bundleId: request.bundleId,
            environment: history?.environment,
            account: request.account,
            decisions: decisions
        )
    }

    /// Reads evidence, and refuses what is dated ahead of the clock.
    ///
    /// - Parameters:
    ///   - evidence: The evidence; `nil` gives `nil`.
    ///   - moment: The server's clock.
    /// - Returns: What the evidence says.
    /// - Throws: ``SignatureFault`` when it cannot be taken.
    func history(
        from evidence: Evidence?,
        at moment: Timestamp
    ) throws(SignatureFault) -> SubscriptionHistory? {
        guard let evidence else { return nil }
        do throws(EvidenceFault) {
            let history = try evidenceReader.history(from: evidence)
            if let date = history.asOf, date > moment.adding(seconds: Self.toleratedClockSkewSeconds) {
                throw EvidenceFault(
                    .rejected,
                    code: "evidence_in_future",
                    detail: "The evidence is dated \(date.rfc3339), ahead of the clock: Apple did not make it."
                )
            }
            return history
        } catch {
            throw .evidence(error)
        }
    }

    private func discount(
        for offer: OfferRequest,
        _ decision: Decision,
        account: Account,
        by signing: SigningApp<Signer>,
        at moment: Timestamp
    ) throws(SignatureFault) -> Discount? {
        guard decision.verdict == .eligible else { return nil }
        do throws(SigningFailure) {
            return try Discount(
                offerId: offer.offerId,
                productId: offer.productId,
                bundleId: signing.app.bundleId,
                account: account,
                timestamp: moment,
                signer: signing.signer
            )
        } catch {
            throw .signing(error)
        }
    }
}
