public import Offers

/// The main use case: reads the evidence, decides about each offer, signs those that the customer may have.
///
/// Plain synchronous functions over values, without I/O, wherever the evidence is at hand: they run on whatever thread
/// the request is on. What the App Store has to be asked about is answered asynchronously, by the same functions.
public struct SignOffers<Signer: OfferSigner, Reader: EvidenceReader>: Sendable {
    /// How far ahead of the server's clock evidence may be dated, in seconds, before it counts as not genuine.
    public static var toleratedClockSkewSeconds: Int64 { 300 }

    let apps: [String: SigningApp<Signer>]
    let maximumEvidenceAgeSeconds: Int64
    let now: @Sendable () -> Timestamp
    /// What is counted on the way.
    public let metrics: ServiceMetrics
    let signatureCounters: [String: SignatureCounters]
    private let evidenceReader: Reader
    private let evidenceFetcher: (any EvidenceFetcher)?
    private let maximumSignedTransactionAgeSeconds: Int64?

    /// Creates the use case.
    ///
    /// - Parameters:
    ///   - apps: The apps of the catalog with their keys; of two with one bundle identifier the first counts.
    ///   - evidenceReader: Reads evidence that is at hand.
    ///   - evidenceFetcher: Asks the App Store; `nil` where nothing is asked.
    ///   - maximumEvidenceAgeSeconds: How old evidence may be, in seconds; 0 for no limit.
    ///   - maximumSignedTransactionAgeSeconds: How old signed transactions may be, in seconds; 0 for no limit; `nil` for
    ///     the limit of other evidence.
    ///   - metrics: What is counted on the way.
    ///   - now: The server's clock.
    public init(
        apps: [SigningApp<Signer>],
        evidenceReader: Reader,
        evidenceFetcher: (any EvidenceFetcher)? = nil,
        maximumEvidenceAgeSeconds: Int64,
        maximumSignedTransactionAgeSeconds: Int64? = nil,
        metrics: ServiceMetrics = ServiceMetrics(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.apps = Dictionary(apps.map { ($0.app.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.metrics = metrics
        signatureCounters = self.apps.mapValues { signing in
            SignatureCounters(
                signing.app,
                keyIdentifier: signing.signer.keyIdentifier,
                formats: signing.issuer == nil ? [.discount] : SignatureFormat.allCases,
                factory: metrics.factory
            )
        }
        self.evidenceReader = evidenceReader
        self.evidenceFetcher = evidenceFetcher
        self.maximumSignedTransactionAgeSeconds = maximumSignedTransactionAgeSeconds
        self.maximumEvidenceAgeSeconds = maximumEvidenceAgeSeconds
        self.now = now
    }

    /// Answers a request whose evidence is at hand.
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
        let signing = try signingApp(of: request.bundleId, for: request.account)
        let moment = now()
        let history = try history(from: request.evidence, at: moment)
        return try answer(request, by: signing, history, at: moment, skippingEligibility: skippingEligibility)
    }

    /// Answers a request, asking the App Store first where the evidence is a question.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - skippingEligibility: Whether to sign on an operator's word, as above.
    /// - Returns: A decision for each offer, in the order asked.
    /// - Throws: ``SignatureFault`` when there is no answer at all; nothing has been given out then.
    public func answer(
        _ request: SignatureRequest,
        skippingEligibility: Bool = false
    ) async throws(SignatureFault) -> SignatureAnswer {
        let signing = try signingApp(of: request.bundleId, for: request.account)
        let (history, moment) = try await history(from: request.evidence, for: request.bundleId)
        return try answer(request, by: signing, history, at: moment, skippingEligibility: skippingEligibility)
    }

    private func answer(
        _ request: SignatureRequest,
        by signing: SigningApp<Signer>,
        _ history: SubscriptionHistory?,
        at moment: Timestamp,
        skippingEligibility: Bool
    ) throws(SignatureFault) -> SignatureAnswer {
        if request.formats.contains(.jws), signing.issuer == nil { throw .issuerUnknown(bundleId: request.bundleId) }
        var policy = OfferPolicy(
            app: signing.app,
            customer: Customer(account: request.account, history: history),
            now: moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: history)
        )
        let stamp = OfferStamp(
            signing: signing,
            account: request.account,
            formats: request.formats,
            // Evidence that nobody has looked at may be another customer's.
            history: skippingEligibility ? nil : history,
            moment: moment,
            rooms: metrics.rooms,
            counters: signatureCounters[request.bundleId]
        )
        var decisions: [SignedDecision] = []
        decisions.reserveCapacity(request.offers.count)
        for offer in request.offers {
            let decision = metrics.rooms.measure(.decision) {
                skippingEligibility
                    ? policy.decideWithoutEligibility(offer, explaining: request.explain)
                    : policy.decide(offer, explaining: request.explain)
            }
            metrics.decisions.count(decision.reason, in: .signatures)
            do throws(SigningFailure) {
                decisions.append(try stamp.signed(offer, decision))
            } catch {
                throw .signing(error)
            }
        }
        return SignatureAnswer(
            bundleId: request.bundleId,
            environment: history?.environment,
            account: request.account,
            decisions: decisions
        )
    }

    /// The app that a request is for, when the request names an account where one is asked for.
    ///
    /// - Parameters:
    ///   - bundleId: The app's bundle identifier.
    ///   - account: The account of the request.
    /// - Returns: The app with its key.
    /// - Throws: ``SignatureFault`` when there is no such app, or no account.
    func signingApp(of bundleId: String, for account: Account) throws(SignatureFault) -> SigningApp<Signer> {
        guard let signing = apps[bundleId] else { throw .unknownApp(bundleId: bundleId) }
        if signing.app.requiresAccount, account == .none { throw .accountRequired }
        return signing
    }

    /// How old a history may be, in seconds; 0 for no limit.
    ///
    /// - Parameter history: The history; what a sender chose to show are signed transactions.
    /// - Returns: The limit.
    func maximumAgeSeconds(of history: SubscriptionHistory?) -> Int64 {
        guard history?.coverage == .partial else { return maximumEvidenceAgeSeconds }
        return maximumSignedTransactionAgeSeconds ?? maximumEvidenceAgeSeconds
    }

    /// Reads evidence, or asks the App Store about it, and refuses what is dated ahead of the clock.
    ///
    /// - Parameters:
    ///   - evidence: The evidence; `nil` gives `nil`.
    ///   - bundleId: The app that is asked for.
    ///   - needsWholeHistory: Whether every transaction counts, not the newest ones alone.
    /// - Returns: What the evidence says, and the server's clock after it was told.
    /// - Throws: ``SignatureFault`` when it cannot be taken.
    func history(
        from evidence: Evidence?,
        for bundleId: String,
        needsWholeHistory: Bool = false
    ) async throws(SignatureFault) -> (SubscriptionHistory?, Timestamp) {
        guard case .question(let question) = evidence, let evidenceFetcher else {
            let moment = now()
            return (try history(from: evidence, at: moment), moment)
        }
        let watch = Stopwatch()
        defer { metrics.rooms.note(watch.nanoseconds, in: .evidence) }
        do throws(EvidenceFault) {
            let history = try await evidenceFetcher.history(
                answering: question,
                for: bundleId,
                needsWholeHistory: needsWholeHistory
            )
            let moment = now()
            try Self.refuseFuture(history, at: moment)
            return (history, moment)
        } catch {
            throw .evidence(error)
        }
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
        let watch = Stopwatch()
        defer { metrics.rooms.note(watch.nanoseconds, in: .evidence) }
        do throws(EvidenceFault) {
            let history = try evidenceReader.history(from: evidence)
            try Self.refuseFuture(history, at: moment)
            return history
        } catch {
            throw .evidence(error)
        }
    }

    private static func refuseFuture(
        _ history: SubscriptionHistory,
        at moment: Timestamp
    ) throws(EvidenceFault) {
        guard let date = history.asOf, date > moment.adding(seconds: toleratedClockSkewSeconds) else { return }
        throw EvidenceFault(
            .rejected,
            code: "evidence_in_future",
            detail: "The evidence is dated \(date.rfc3339), ahead of the clock: Apple did not make it."
        )
    }
}
