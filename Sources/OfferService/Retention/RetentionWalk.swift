import Offers

/// One walk through the rules, to the first whose answer the ledger takes.
struct RetentionWalk {
    let call: RetentionCall
    let app: RetentionApp
    /// Of the subscription, where it is known.
    let account: AccountDigest?
    var policy: RetentionPolicy
    let moment: Timestamp

    /// By the offer's place among those that the policy decided about.
    private(set) var refusedByLedger: [Int: Reason] = [:]

    /// The reason of each offer that was decided about.
    var reasons: [(offer: OfferRequest, reason: Reason)] {
        policy.decided.enumerated().map { index, decided in
            (decided.offer, refusedByLedger[index] ?? decided.decision.reason)
        }
    }

    /// The customers of holdouts who would have got an offer.
    var drawn: [DrawnCustomer] {
        policy.decided.enumerated().compactMap { index, decided in
            refusedByLedger[index] == nil ? decided.decision.drawn : nil
        }
    }

    /// Walks, and records the result.
    mutating func result(
        in ledger: any RetentionLedger,
        committingBy commit: ContinuousClock.Instant,
        _ stages: StageMetrics,
        _ write: (RetentionAnswer) -> [UInt8]
    ) async -> Result<RetentionReply, RetentionRefusal> {
        var start = 0
        while let choice = policy.choice(from: start) {
            let prepared: Prepared
            do throws(SigningFailure) {
                prepared = try await prepare(choice, stages, write)
            } catch {
                return .failure(.signing(error))
            }
            guard !Task.isCancelled else { return .failure(.tooSlow) }
            let outcomes: [GrantOutcome]
            let watch = Stopwatch()
            do throws(StorageFailure) {
                outcomes = try await ledger.append(prepared.entry, until: commit)
            } catch {
                return .failure(.ledger(error))
            }
            stages.record(watch.nanoseconds, in: .ledger)
            if case .answered(let body) = outcomes.first { return .success(RetentionReply(repeating: body)) }
            guard let refused = outcomes.first(where: { $0 != .recorded }) else {
                guard outcomes.count == prepared.entry.grants.count else {
                    return .failure(.ledger(StorageFailure(.unavailable, "the ledger answered for too few signatures")))
                }
                return .success(prepared.reply)
            }
            // The limit was reached meanwhile: the next rules are asked.
            if let grant = prepared.entry.grants.first, let last = policy.decided.indices.last {
                refusedByLedger[last] = policy.decided[last].decision.after(refused, of: grant).reason
            }
            start = choice.index + 1
        }
        do throws(StorageFailure) {
            let known = try await ledger.storedAnswer(to: .retention(call.key), at: moment).value()
            guard case .answered(let body) = known else { return .failure(.noRule) }
            return .success(RetentionReply(repeating: body))
        } catch {
            return .failure(.ledger(error))
        }
    }

    private typealias Prepared = (entry: LedgerEntry, reply: RetentionReply)

    /// Signs where an offer is proposed, and writes the answer.
    private mutating func prepare(
        _ choice: RetentionPolicy.Choice,
        _ stages: StageMetrics,
        _ write: (RetentionAnswer) -> [UInt8]
    ) async throws(SigningFailure) -> Prepared {
        var grants: [OfferGrant] = []
        var signedOffer: OfferRequest?
        let proposal: RetentionAnswer.Proposal
        let kind: RetentionReply.Kind
        switch choice.proposal {
        case .message: (proposal, kind) = (.message, .message)
        case .switchTo(let productId, let plan):
            (proposal, kind) = (.alternateProduct(productId: productId, billingPlanType: plan), .alternateProduct)
        case .offer(let offer, let decision):
            let jws = try await sign(offer, stages)
            let signature = OfferGrant.Signature(
                form: .jws,
                keyIdentifier: jws.keyIdentifier,
                nonce: jws.nonce,
                timestamp: jws.issuedAt
            )
            grants = [policy.grant(of: offer, decision.reason, signature: signature)]
            signedOffer = offer
            (proposal, kind) = (.promotionalOffer(jws), .promotionalOffer)
        }
        let body = write(RetentionAnswer(messageIdentifier: choice.messageIdentifier, proposal: proposal))
        let entry = LedgerEntry(
            time: moment,
            client: LedgerEntry.retention,
            bundleId: app.signing.app.bundleId,
            environment: call.subscription.environment,
            evidence: nil,
            account: .none,
            customer: nil,
            knownAccount: account,
            grants: grants,
            answer: KeptAnswer(call: .retention(call.key)) { _ in body }
        )
        return (entry, RetentionReply(body: body, kind: kind, offer: signedOffer))
    }

    private func sign(_ offer: OfferRequest, _ stages: StageMetrics) async throws(SigningFailure) -> PromotionalOfferJWS
    {
        let signer = app.signing.signer
        guard let issuer = app.signing.issuer else {
            throw SigningFailure(keyIdentifier: signer.keyIdentifier, detail: "the catalog does not name its issuerId")
        }
        let (moment, transactionId) = (moment, call.subscription.originalTransactionId)
        return try await signer.work { (signer) throws(SigningFailure) in
            try stages.measure(.signature) { () throws(SigningFailure) in
                try PromotionalOfferJWS(
                    offerId: offer.offerId,
                    productId: offer.productId,
                    transactionId: transactionId,
                    issuer: issuer,
                    timestamp: moment,
                    signer: signer
                )
            }
        }.value()
    }
}
