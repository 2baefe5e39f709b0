public import Offers

/// The synchronous core: decisions and signatures, which stay within until the ledger has them.
extension SignOffers {
    /// How far a request came without waiting.
    public enum Beginning: Sendable {
        /// Decided: ``SignOffers/sign(_:)`` signs what the customer may have.
        case decided(Decided)
        /// Somebody has to be waited for, and nothing is signed yet: ``SignOffers/goOn(with:)`` does.
        case waiting(Waiting)
    }

    /// A request for which the App Store, the store of states or the ledger has to be waited for.
    public struct Waiting: Sendable {
        fileprivate enum Reason: Sendable {
            case history(CustomerHistories.Beginning)
            case ledger(LedgerQuestion, Undecided)
        }

        fileprivate let inquiry: Inquiry
        fileprivate let reason: Reason
    }

    /// A request that may be decided.
    fileprivate final class Inquiry: Sendable {
        let request: SignatureRequest
        let signing: SigningApp
        let skipsEligibility: Bool

        init(request: SignatureRequest, signing: SigningApp, skipsEligibility: Bool) {
            self.request = request
            self.signing = signing
            self.skipsEligibility = skipsEligibility
        }
    }

    /// A request of which each offer is decided, and nothing is signed yet.
    ///
    /// It is a class so that handing it on copies nothing.
    public final class Decided: Sendable {
        fileprivate let inquiry: Inquiry
        fileprivate let moment: Timestamp
        fileprivate let policy: OfferPolicy
        fileprivate let decisions: [Decision]

        fileprivate init(_ inquiry: Inquiry, _ undecided: consuming Undecided, _ decisions: [Decision]) {
            self.inquiry = inquiry
            moment = undecided.moment
            policy = undecided.policy
            self.decisions = decisions
        }
    }

    /// A request whose customer is known.
    fileprivate struct Undecided: Sendable {
        let moment: Timestamp
        var policy: OfferPolicy
    }

    /// Decides, as far as that goes without waiting for anybody.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - skippingEligibility: Whether to sign on an operator's word, without a look at the customer. The catalog and
    ///     the offers' windows hold all the same.
    /// - Returns: What was decided, or what has to be waited for.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    public func begin(
        _ request: SignatureRequest,
        skippingEligibility: Bool = false
    ) throws(SignatureFault) -> Beginning {
        let inquiry = Inquiry(
            request: request,
            signing: try signingApp(of: request.bundleId, for: request.account),
            skipsEligibility: skippingEligibility
        )
        switch try histories.begin(from: request.evidence, for: request.account, of: inquiry.signing.app) {
        case .known(let history, let moment): return try decide(inquiry, history, at: moment)
        case let beginning: return .waiting(Waiting(inquiry: inquiry, reason: .history(beginning)))
        }
    }

    /// Goes on with a request, and waits for whom it has to be waited.
    ///
    /// - Parameter waiting: The request.
    /// - Returns: What was decided.
    /// - Throws: ``SignatureFault`` when there is no answer at all.
    public func goOn(with waiting: Waiting) async throws(SignatureFault) -> Decided {
        let inquiry = waiting.inquiry
        switch waiting.reason {
        case .ledger(let question, let undecided):
            return decide(inquiry, undecided, hearing: try await standing(of: question))
        case .history(let beginning):
            let (history, moment) = try await histories.history(
                goingOn: beginning,
                for: inquiry.request.account,
                of: inquiry.signing.app
            )
            switch try decide(inquiry, history, at: moment) {
            case .decided(let decided): return decided
            case .waiting(let waiting): return try await goOn(with: waiting)
            }
        }
    }

    /// Decides, unless the ledger has to be asked first.
    private func decide(
        _ inquiry: Inquiry,
        _ history: SharedHistory?,
        at moment: Timestamp
    ) throws(SignatureFault) -> Beginning {
        let (request, signing) = (inquiry.request, inquiry.signing)
        if request.formats.contains(.jws), signing.issuer == nil { throw .issuerUnknown(bundleId: request.bundleId) }
        var undecided = Undecided(
            moment: moment,
            policy: offerPolicy(of: signing.app, for: request.account, history, at: moment)
        )
        let decisions = decisions(on: inquiry, by: &undecided.policy)
        if !inquiry.skipsEligibility,
            let question = undecided.policy.question(
                about: request.offers,
                decided: decisions,
                at: moment,
                suspecting: { ledger?.isSuspect($0) ?? false }
            )
        {
            if let standing = ledger?.standingAtHand(of: question) {
                return .decided(decide(inquiry, undecided, hearing: standing))
            }
            return .waiting(Waiting(inquiry: inquiry, reason: .ledger(question, undecided)))
        }
        return .decided(Decided(inquiry, undecided, decisions))
    }

    /// Decides again, once the ledger has answered.
    private func decide(_ inquiry: Inquiry, _ undecided: Undecided, hearing standing: LedgerStanding) -> Decided {
        var undecided = undecided
        undecided.policy.hear(standing)
        let decisions = decisions(on: inquiry, by: &undecided.policy)
        return Decided(inquiry, undecided, decisions)
    }

    private func decisions(on inquiry: Inquiry, by policy: inout OfferPolicy) -> [Decision] {
        let request = inquiry.request
        var decisions: [Decision] = []
        decisions.reserveCapacity(request.offers.count)
        for offer in request.offers {
            let decision = metrics.rooms.measure(.decision) {
                inquiry.skipsEligibility
                    ? policy.decideWithoutEligibility(offer, explaining: request.explain)
                    : policy.decide(offer, explaining: request.explain)
            }
            decisions.append(decision)
        }
        return decisions
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

    func offerPolicy(
        of app: App,
        for account: Account,
        _ history: SharedHistory?,
        at moment: Timestamp
    ) -> OfferPolicy {
        OfferPolicy(
            app: app,
            customer: Customer(account: account, sharing: history),
            now: moment,
            maximumEvidenceAgeSeconds: maximumAgeSeconds(of: history),
            maximumHeldAgeSeconds: maximumEvidenceAgeSeconds
        )
    }

    /// Signs what the customer may have.
    ///
    /// - Parameter decided: What was decided.
    /// - Returns: The answer, which ``SignOffers/release(_:by:)`` lets out once the ledger has its entry.
    /// - Throws: ``SignatureFault`` when something could not be signed: nothing is given out then.
    public func sign(_ decided: Decided) throws(SignatureFault) -> PreparedAnswer {
        let (inquiry, moment, decisions) = (decided.inquiry, decided.moment, decided.decisions)
        var policy = decided.policy
        let (request, signing) = (inquiry.request, inquiry.signing)
        // A purchase is named in a JWS alone, and none where nobody has looked at them.
        let namesPurchases =
            request.formats.contains(.jws) && !inquiry.skipsEligibility
            && decisions.contains { $0.verdict == .eligible }
        let stamp = OfferStamp(
            signing: signing,
            request: request,
            purchases: namesPurchases ? policy.history.map { NewestTransactions($0.value, of: signing.app) } : nil,
            moment: moment,
            rooms: metrics.rooms
        )
        var answered: [SignedDecision] = []
        answered.reserveCapacity(decisions.count)
        var grants: [OfferGrant] = []
        grants.reserveCapacity(decisions.count)
        for (offer, decision) in zip(request.offers, decisions) {
            let signed: SignedDecision
            do throws(SigningFailure) {
                signed = try stamp.signed(offer, decision)
            } catch {
                throw .signing(error)
            }
            answered.append(signed)
            let signatures = signed.signatures
            guard !signatures.isEmpty else { continue }
            grants.append(policy.grant(of: offer, decision.reason, signatures: signatures))
        }
        let environment = policy.environment
        return PreparedAnswer(
            SignatureAnswer(
                bundleId: request.bundleId,
                environment: environment,
                account: request.account,
                decisions: answered
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
        let ofDiscount = discount.map {
            OfferGrant.Signature(
                form: .discount,
                keyIdentifier: $0.keyIdentifier,
                nonce: $0.nonce,
                timestamp: $0.timestamp
            )
        }
        let ofJWS = jws.map {
            OfferGrant.Signature(form: .jws, keyIdentifier: $0.keyIdentifier, nonce: $0.nonce, timestamp: $0.issuedAt)
        }
        // Mostly there is one, and the list is as long.
        switch (ofDiscount, ofJWS) {
        case (let one?, nil), (nil, let one?): return [one]
        case (let one?, let other?): return [one, other]
        case (nil, nil): return []
        }
    }
}
