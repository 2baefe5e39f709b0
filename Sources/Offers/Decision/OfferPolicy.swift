/// Decides which offers a customer may have: every rule in the order in which reasons are given.
///
/// One policy serves one request: it reads the evidence once and remembers what it found. It fails closed: what the
/// evidence does not show is refused, or said to be unknown.
public struct OfferPolicy: Sendable {
    private let app: App
    private let customer: Customer
    private let now: Timestamp
    private let maximumEvidenceAgeSeconds: Int64
    private var standings: [String: GroupStanding] = [:]

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
    /// - Parameter request: The product and the offer.
    /// - Returns: The decision, with the first reason that holds.
    public mutating func decide(_ request: OfferRequest) -> Decision {
        guard let (product, group) = app.product(request.productId) else {
            return Decision(.offerNotInCatalog, detail: "The catalog has no product \(request.productId).")
        }
        guard let offer = product.offer(request.offerId) else {
            return Decision(.offerNotInCatalog, detail: "The catalog has no offer \(request.offerId) on \(product.id).")
        }
        if let refusal = refusalOfEvidence(inGroup: group.id) ?? refusalOfWindow(of: offer) { return refusal }
        guard let history = customer.history else {
            return Decision(
                .noEvidence,
                detail: "The request carries no evidence, and no state of the account is held."
            )
        }
        guard let clock = history.asOf else {
            return Decision(.evidenceStale, detail: "The evidence carries no date, so its age cannot be told.")
        }
        guard history.bundleId != nil else {
            return Decision(.noEvidence, detail: "The evidence does not say which app it is about.")
        }
        return decide(on: offer, inGroup: group.id, by: history, at: clock)
    }

    /// Decides about one offer on an operator's word that the customer may have it: the catalog and the offer's
    /// window still hold.
    ///
    /// - Parameter request: The product and the offer.
    /// - Returns: The decision.
    public func decideWithoutEligibility(_ request: OfferRequest) -> Decision {
        guard let offer = app.product(request.productId)?.product.offer(request.offerId) else {
            return Decision(
                .offerNotInCatalog,
                detail: "The catalog has no offer \(request.offerId) on \(request.productId)."
            )
        }
        return refusalOfWindow(of: offer)
            ?? Decision(.eligibilitySkipped, detail: "Eligibility was not judged, by the operator's wish.")
    }

    // MARK: Rules

    private mutating func decide(
        on offer: PromotionalOffer,
        inGroup groupId: String,
        by history: SubscriptionHistory,
        at clock: Timestamp
    ) -> Decision {
        let standing = standing(inGroup: groupId, by: history, at: clock)
        switch standing {
        case .noEvidence:
            return Decision(.noEvidence, detail: "The evidence has no list of subscriptions (pending_renewal_info).")
        case .groupUnknown:
            return Decision(
                .groupUnknown,
                detail: "The evidence has a subscription whose group neither the catalog nor Apple's answer tells."
            )
        default:
            break
        }
        if maximumEvidenceAgeSeconds > 0, clock.adding(seconds: maximumEvidenceAgeSeconds) < now {
            return Decision(
                .evidenceStale,
                detail: "The evidence is of \(clock.rfc3339); \(maximumEvidenceAgeSeconds) seconds are the limit."
            )
        }
        guard case .subscriber(let subscription) = standing else {
            return standing == .neverSubscribed
                ? Decision(.neverSubscribed, detail: "The customer has had no subscription of group \(groupId).")
                : Decision(
                    .noPendingRenewalInfo,
                    detail: "There are purchases in group \(groupId), but no pending_renewal_info entry for it."
                )
        }
        return decide(on: offer, inGroup: groupId, for: subscription, by: history)
    }

    private func decide(
        on offer: PromotionalOffer,
        inGroup groupId: String,
        for subscription: Subscription,
        by history: SubscriptionHistory
    ) -> Decision {
        let phrase = subscription.phrase
        guard let reason = subscription.state.eligibleReason else {
            return Decision(subscription.state == .refunded ? .refunded : .familyShared, detail: "\(phrase).")
        }
        guard offer.audience.contains(subscription.state) else {
            return Decision(.stateNotInAudience, detail: "\(phrase); the offer is for \(offer.audiencePhrase).")
        }
        if let limit = offer.maxRedemptions {
            let count = history.redemptions(ofOffer: offer.id, inGroup: groupId, of: app)
            if count >= limit {
                return Decision(
                    .redemptionLimit,
                    detail: "The customer has redeemed the offer \(count) times; \(limit) is the limit."
                )
            }
        }
        return Decision(reason, detail: "\(phrase); the offer is for \(offer.audiencePhrase).")
    }

    /// Whether the evidence is of another app, of an environment that does not count, or of another account.
    private func refusalOfEvidence(inGroup groupId: String) -> Decision? {
        guard let history = customer.history else { return nil }
        if let bundleId = history.bundleId, bundleId != app.bundleId {
            return Decision(.bundleMismatch, detail: "The evidence is of \(bundleId), not of \(app.bundleId).")
        }
        guard let environment = history.environment, app.environments.contains(environment) else {
            let found =
                history.environment.map { "is from \($0.rawValue)" } ?? "does not say which environment it is from"
            return Decision(
                .environmentNotAllowed,
                detail: "The evidence \(found); \(app.environmentsPhrase) for the app."
            )
        }
        let tokens = history.accountTokens(inGroup: groupId, of: app)
        if tokens.isEmpty { return nil }
        guard let token = customer.account.storedToken else {
            return Decision(
                .accountMismatch,
                detail: "The evidence names an account; the request names none of its kind."
            )
        }
        if tokens.contains(token) { return nil }
        return Decision(.accountMismatch, detail: "The evidence is of another account than the one that is asked for.")
    }

    /// Whether the offer is not on yet, or no longer, at the server's clock.
    private func refusalOfWindow(of offer: PromotionalOffer) -> Decision? {
        if let startsAt = offer.startsAt, now < startsAt {
            return Decision(.offerNotStarted, detail: "The offer starts at \(startsAt.rfc3339).")
        }
        if let endsAt = offer.endsAt, now >= endsAt {
            return Decision(.offerEnded, detail: "The offer ended at \(endsAt.rfc3339).")
        }
        return nil
    }

    private mutating func standing(
        inGroup groupId: String,
        by history: SubscriptionHistory,
        at clock: Timestamp
    ) -> GroupStanding {
        if let known = standings[groupId] { return known }
        let standing = history.standing(inGroup: groupId, of: app, at: clock)
        standings[groupId] = standing
        return standing
    }
}
