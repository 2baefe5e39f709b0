public import Offers

/// The synchronous core: decisions and signatures, which stay within until the ledger has them.
extension SignOffers {
    /// How far a request came without waiting.
    public enum Preparation: Sendable {
        /// Decided and signed.
        case ready(PreparedAnswer)
        /// The ledger has to be asked first; then ``SignOffers/sign(_:hearing:)`` goes on.
        case asking(LedgerQuestion, Undecided)
    }

    /// A request whose decisions need the ledger.
    public struct Undecided: Sendable {
        fileprivate let request: SignatureRequest
        fileprivate let signing: SigningApp<Signer>
        fileprivate let moment: Timestamp
        fileprivate var policy: OfferPolicy
        /// What is signed of the customer's purchases: nothing, where nobody has looked at them.
        fileprivate let history: SubscriptionHistory?
    }

    /// Decides and signs, when the evidence is at hand.
    ///
    /// Nothing may leave until the ledger has the entry: ``release(_:by:)`` makes the answer then.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - skippingEligibility: Whether to sign on an operator's word, without a look at the customer.
    /// - Returns: The prepared answer, or what the ledger has to be asked.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    public func prepare(
        _ request: SignatureRequest,
        skippingEligibility: Bool = false
    ) throws(SignatureFault) -> Preparation {
        let signing = try signingApp(of: request.bundleId, for: request.account)
        let (history, moment) = try histories.history(from: request.evidence, for: request.account, of: signing.app)
        return try prepare(request, by: signing, history, at: moment, skippingEligibility: skippingEligibility)
    }

    /// Goes on with a request once the ledger has answered.
    ///
    /// - Parameters:
    ///   - undecided: The request.
    ///   - standing: What the ledger holds.
    /// - Returns: The prepared answer.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    public func sign(_ undecided: Undecided, hearing standing: LedgerStanding) throws(SignatureFault) -> PreparedAnswer
    {
        var undecided = undecided
        undecided.policy.hear(standing)
        let request = undecided.request
        var decisions: [Decision] = []
        decisions.reserveCapacity(request.offers.count)
        for offer in request.offers {
            decisions.append(
                metrics.rooms.measure(.decision) { undecided.policy.decide(offer, explaining: request.explain) }
            )
        }
        return try sign(undecided, decisions)
    }

    /// The answer, once the ledger has spoken: what it refused is left out.
    ///
    /// - Parameters:
    ///   - prepared: The prepared answer.
    ///   - outcomes: The outcomes of its entry's grants, in their order; none without an entry.
    /// - Returns: The answer, which may leave.
    public func release(_ prepared: PreparedAnswer, by outcomes: [GrantOutcome]) -> SignatureAnswer {
        let answer = prepared.released(by: outcomes)
        let counters = signatureCounters[answer.bundleId]
        for decision in answer.decisions {
            metrics.decisions.count(
                CountedDecision(
                    decision.decision.reason,
                    of: decision.request,
                    bundleId: answer.bundleId,
                    environment: answer.environment,
                    call: .signatures
                )
            )
            if decision.discount != nil { counters?.count(decision.request.offerId, as: .discount) }
            if decision.jws != nil { counters?.count(decision.request.offerId, as: .jws) }
        }
        return answer
    }

    func prepare(
        _ request: SignatureRequest,
        by signing: SigningApp<Signer>,
        _ history: SubscriptionHistory?,
        at moment: Timestamp,
        skippingEligibility: Bool
    ) throws(SignatureFault) -> Preparation {
        if request.formats.contains(.jws), signing.issuer == nil { throw .issuerUnknown(bundleId: request.bundleId) }
        let policy = offerPolicy(of: signing.app, for: request.account, history, at: moment)
        var undecided = Undecided(
            request: request,
            signing: signing,
            moment: moment,
            policy: policy,
            history: skippingEligibility ? nil : history
        )
        var decisions: [Decision] = []
        decisions.reserveCapacity(request.offers.count)
        for offer in request.offers {
            let decision = metrics.rooms.measure(.decision) {
                skippingEligibility
                    ? policy.decideWithoutEligibility(offer, explaining: request.explain)
                    : undecided.policy.decide(offer, explaining: request.explain)
            }
            decisions.append(decision)
        }
        if !skippingEligibility,
            let question = undecided.policy.question(about: request.offers, decided: decisions, at: moment)
        {
            return .asking(question, undecided)
        }
        return .ready(try sign(undecided, decisions))
    }

    func offerPolicy(
        of app: App,
        for account: Account,
        _ history: SubscriptionHistory?,
        at moment: Timestamp
    ) -> OfferPolicy {
        OfferPolicy(
            app: app,
            customer: Customer(account: account, history: history),
            now: moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: history)
        )
    }

    private func sign(
        _ undecided: consuming Undecided,
        _ decisions: [Decision]
    ) throws(SignatureFault) -> PreparedAnswer {
        let (request, signing, moment) = (undecided.request, undecided.signing, undecided.moment)
        let stamp = OfferStamp(
            signing: signing,
            account: request.account,
            formats: request.formats,
            history: undecided.history,
            moment: moment,
            rooms: metrics.rooms
        )
        var decided: [SignedDecision] = []
        decided.reserveCapacity(decisions.count)
        var grants: [OfferGrant] = []
        for (offer, decision) in zip(request.offers, decisions) {
            let signed: SignedDecision
            do throws(SigningFailure) {
                signed = try stamp.signed(offer, decision)
            } catch {
                throw .signing(error)
            }
            decided.append(signed)
            let signatures = signed.signatures
            guard !signatures.isEmpty else { continue }
            grants.append(undecided.policy.grant(of: offer, decision.reason, signatures: signatures))
        }
        let environment = undecided.policy.environment
        return PreparedAnswer(
            SignatureAnswer(
                bundleId: request.bundleId,
                environment: environment,
                account: request.account,
                decisions: decided
            ),
            entry: grants.isEmpty
                ? nil
                : LedgerEntry(
                    time: moment,
                    client: request.client,
                    bundleId: request.bundleId,
                    environment: environment,
                    evidence: request.evidence?.kind,
                    account: request.account,
                    customer: request.account.customer(by: signing.app.customerPattern),
                    grants: grants
                )
        )
    }
}

extension SignedDecision {
    /// The signatures as the ledger describes them.
    fileprivate var signatures: [OfferGrant.Signature] {
        var signatures: [OfferGrant.Signature] = []
        if let discount {
            signatures.append(
                OfferGrant.Signature(
                    form: .discount,
                    keyIdentifier: discount.keyIdentifier,
                    nonce: discount.nonce,
                    timestamp: discount.timestamp
                )
            )
        }
        if let jws {
            signatures.append(
                OfferGrant.Signature(
                    form: .jws,
                    keyIdentifier: jws.keyIdentifier,
                    nonce: jws.nonce,
                    timestamp: jws.issuedAt
                )
            )
        }
        return signatures
    }
}
