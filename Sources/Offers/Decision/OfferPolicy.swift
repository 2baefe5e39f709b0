/// Decides which offers a customer may have: ``OfferRules``, then ``SubscriberRules``, in the order in which reasons are
/// given.
///
/// One policy serves one request: it reads the evidence once and remembers what it found. It fails closed: what the
/// evidence does not show is refused, or said to be unknown.
public struct OfferPolicy: Sendable {
    private let app: App
    private let customer: Customer
    private let now: Timestamp
    private let maximumEvidenceAgeSeconds: Int64
    /// By group; the whole app has none.
    private var readings: [String?: HistoryReading] = [:]

    /// Prepares the decisions of one request.
    ///
    /// - Parameters:
    ///   - app: The app of the catalog that the request is for.
    ///   - customer: The account, and what the evidence says.
    ///   - now: The server's clock, at which offer windows and the age of evidence are judged.
    ///   - maximumEvidenceAgeSeconds: How old evidence may be, in seconds; 0 for no limit.
    public init(app: App, customer: Customer, now: Timestamp, maximumEvidenceAgeSeconds: Int64) {
        self.app = app
        self.customer = customer
        self.now = now
        self.maximumEvidenceAgeSeconds = maximumEvidenceAgeSeconds
    }

    /// Decides about one offer.
    ///
    /// - Parameters:
    ///   - request: The product and the offer.
    ///   - explaining: Whether the decision is to carry every rule that was asked.
    /// - Returns: The decision, with the first reason that holds.
    public mutating func decide(_ request: OfferRequest, explaining: Bool = false) -> Decision {
        var examination = Examination<Reason>(explaining: explaining)
        if let refusal = examination.refusal(by: OfferRules.ofCatalog, of: CatalogFacts(app: app, request: request)) {
            return Decision(refusal, examination)
        }
        guard let (product, group) = app.product(request.productId), let offer = product.offer(request.offerId) else {
            return Decision(.offerNotInCatalog, detail: "The catalog has no such offer.")
        }
        let reading = reading(inGroup: offer.scope == .app ? nil : group.id)
        let facts = facts(of: offer, group: group, reading: reading)
        for rules in [OfferRules.ofOwner, OfferRules.ofWindow, OfferRules.ofEvidence] {
            if let refusal = examination.refusal(by: rules, of: facts) { return Decision(refusal, examination) }
        }
        guard let history = customer.history, let clock = history.asOf,
            case .subscriber(let subscription) = reading?.standing
        else { return Decision(.noEvidence, detail: EvidencePhrases.none) }
        let subscriber = SubscriberFacts(facts, history: history, clock: clock, subscription: subscription)
        if let refusal = examination.refusal(by: SubscriberRules.inOrder, of: subscriber) {
            return Decision(refusal, examination)
        }
        guard let reason = subscriber.state.eligibleReason else {
            return Decision(.stateNotInAudience, detail: "\(subscription.phrase).")
        }
        return eligible(reason, subscriber, on: product, examination)
    }

    /// Decides about one offer on an operator's word that the customer may have it: the catalog and the offer's
    /// window still hold.
    ///
    /// - Parameters:
    ///   - request: The product and the offer.
    ///   - explaining: Whether the decision is to carry every rule that was asked.
    /// - Returns: The decision.
    public func decideWithoutEligibility(_ request: OfferRequest, explaining: Bool = false) -> Decision {
        var examination = Examination<Reason>(explaining: explaining)
        if let refusal = examination.refusal(by: OfferRules.ofCatalog, of: CatalogFacts(app: app, request: request)) {
            return Decision(refusal, examination)
        }
        guard let (product, group) = app.product(request.productId), let offer = product.offer(request.offerId) else {
            return Decision(.offerNotInCatalog, detail: "The catalog has no such offer.")
        }
        if let refusal = examination.refusal(
            by: OfferRules.ofWindow,
            of: facts(of: offer, group: group, reading: nil)
        ) {
            return Decision(refusal, examination)
        }
        return Decision(
            .eligibilitySkipped,
            detail: "Eligibility was not judged, by the operator's wish.",
            explanation: examination.explanation
        )
    }

    private mutating func eligible(
        _ reason: Reason,
        _ facts: SubscriberFacts,
        on product: Product,
        _ examination: Examination<Reason>
    ) -> Decision {
        var begins: OfferStart?
        var replaces = false
        switch reading(inGroup: facts.group.id)?.standing {
        case .subscriber(let subscription):
            begins = subscription.start(ofOfferOn: product, in: app)
            replaces = subscription.hasRunningOffer
        case .neverSubscribed: begins = .now
        case .noPendingRenewalInfo, .groupUnknown, .noEvidence, nil: break
        }
        return Decision(
            reason,
            detail: "\(facts.subscription.phrase); the offer is for \(facts.offer.audiencePhrase).",
            explanation: examination.explanation,
            begins: begins,
            replacesActiveOffer: replaces
        )
    }

    private func facts(of offer: PromotionalOffer, group: SubscriptionGroup, reading: HistoryReading?) -> OfferFacts {
        OfferFacts(
            app: app,
            group: group,
            offer: offer,
            account: customer.account,
            history: customer.history,
            reading: reading,
            now: now,
            maximumEvidenceAgeSeconds: maximumEvidenceAgeSeconds
        )
    }

    private mutating func reading(inGroup groupId: String?) -> HistoryReading? {
        guard let history = customer.history else { return nil }
        if let known = readings[groupId] { return known }
        let reading = HistoryReading(history, inGroup: groupId, of: app)
        readings[groupId] = reading
        return reading
    }
}

extension Decision {
    fileprivate init(_ refusal: Examination<Reason>.Refusal, _ examination: Examination<Reason>) {
        self.init(refusal.reason, detail: refusal.saw, explanation: examination.explanation)
    }
}
