/// The facts for an offer's rules before the customer's subscription is known.
///
/// A reference, as every rule is handed it: copying the values in it for each would take longer than the rules.
final class OfferFacts: EvidenceFacts {
    let request: RequestFacts
    let product: Product
    let group: SubscriptionGroup
    let offer: PromotionalOffer
    /// For the offer's scope; `nil` when there is no evidence.
    let reading: GroupReading?

    /// Of the subscription that counts.
    var originalTransactionId: String? { reading?.subscription?.originalTransactionId }

    /// Whether the accounts count that the evidence is presented for: it names none, and Apple itself does not ask.
    ///
    /// Held state may be known of an account by evidence that was presented for it, and counts as if it was presented
    /// again.
    var countsAccounts: Bool {
        guard reading?.namesAccount == false else { return false }
        return switch request.heldAge {
        case .limited: true
        case .whilePaid: false
        case .any(let countsAccounts): countsAccounts
        }
    }

    /// Why the state of the subscription that counts is not known well enough for the offer; `nil` where it is.
    var doubt: StateCertainty? {
        guard let subscription = reading?.subscription else { return nil }
        var certainty = subscription.certainty
        if certainty == .known, let end = subscription.failedRenewalEnd, end <= now {
            let last = subscription.said?.last
            // What Apple said after that end counts, but not where state of any age does.
            let isOfAnyAge = if case .any = request.heldAge { true } else { false }
            if isOfAnyAge || last.map({ $0 < end }) ?? false { certainty = .wasToRenew(after: last ?? now) }
        }
        guard certainty != .known, !subscription.isInTheWay else { return certainty == .known ? nil : certainty }
        if subscription.state == .familyShared, offer.terms.familyShared == .refuse { return nil }
        if subscription.state == .assigned, offer.terms.assigned == .refuse { return nil }
        if case .wasToRenew = certainty, offer.isOpen(whateverBecameOf: subscription, at: now) { return nil }
        return certainty
    }

    /// By the ledger; `nil` if it was not asked.
    var presentations: LedgerAnswer.Presentations? {
        originalTransactionId.flatMap { request.ledgerAnswer?.presentations[$0] }
    }

    /// By the ledger; `nil` if it was not asked.
    var signatures: Int? { request.ledgerAnswer?.signatures[catalogName] }

    /// By the customer, as far as the evidence shows.
    var redemptions: Int { request.redemptions?.redemptions(ofOffer: offer.id, inGroup: group.id) ?? 0 }

    private let catalogName: OfferRequest

    /// `nil` for an offer that the catalog lacks.
    init?(
        _ request: RequestFacts,
        _ name: OfferRequest,
        reading: (PromotionalOffer, SubscriptionGroup) -> GroupReading?
    ) {
        guard let (product, group) = request.app.product(name.productId), let offer = product.offer(name.offerId) else {
            return nil
        }
        self.request = request
        catalogName = name
        self.product = product
        self.group = group
        self.offer = offer
        self.reading = reading(offer, group)
    }
}

extension PromotionalOffer {
    /// Whether a customer may have the offer whatever became of a subscription that was to renew.
    fileprivate func isOpen(whateverBecameOf subscription: Subscription, at now: Timestamp) -> Bool {
        OfferKey.all.allSatisfy { $0.staysOpen(terms, subscription.endsAt, now) }
    }
}

struct CatalogFacts {
    let app: App
    let request: OfferRequest
    /// `nil` when the catalog does not have the product.
    let place: (product: Product, group: SubscriptionGroup)?
    /// `nil` when the product does not have the offer.
    let offer: PromotionalOffer?

    init(app: App, request: OfferRequest) {
        self.app = app
        self.request = request
        place = app.product(request.productId)
        offer = place?.product.offer(request.offerId)
    }
}

/// The facts for an offer's rules once it is known which subscription counts.
///
/// A reference for the reason of ``OfferFacts``.
final class SubscriberFacts: Sendable {
    let offerFacts: OfferFacts
    /// The subscription that counts.
    let subscription: Subscription
    /// The customer's state, with shared and assigned purchases if the offer allows them.
    let held: SubscriberState
    /// The state that is compared with the audience: a refunded customer has lapsed.
    let state: SubscriberState
    /// A state that contradicts the first one, and in which the offer has to hold as well; `nil` for most.
    let alternative: SubscriberState?
    /// The subscription that counts; for a lapsed customer, the one that gave access last, as far as is known.
    let last: Subscription

    var offer: PromotionalOffer { offerFacts.offer }

    /// The products of the running subscriptions, or of the last one; empty where the evidence does not say.
    var products: Set<String> {
        let running = (offerFacts.reading?.alsoRunning ?? []).filter(\.isKnownToRun)
        return Set((running + [last]).compactMap(\.productId))
    }

    /// A subscription of which it is not known whether it runs, and by which the customer would come from these products, or
    /// would not.
    func mayRun(decidingOn products: Set<String>) -> Subscription? {
        guard products.isDisjoint(with: self.products) else {
            // The one that counts may have lapsed, and another lapsed later.
            let isOther = subscription !== last && subscription.mayRun
            return isOther && subscription.productId.map(products.contains) != true ? subscription : nil
        }
        let others = offerFacts.reading?.alsoRunning ?? []
        return others.filter { !$0.isKnownToRun && $0.productId.map(products.contains) ?? false }
            .max(by: StrongestSubscription.isWeaker)
    }

    /// `nil` when the evidence has no subscription, or no date.
    init?(_ facts: OfferFacts) {
        guard let subscription = facts.reading?.subscription else { return nil }
        offerFacts = facts
        self.subscription = subscription
        let countsAsOwn =
            facts.offer.terms.familyShared == .allow && subscription.state == .familyShared
            || facts.offer.terms.assigned == .allow && subscription.state == .assigned
        held = countsAsOwn ? subscription.stateCountingShared : subscription.state
        state = held == .refunded ? .lapsed : held
        alternative = subscription.alternative
        let ended =
            state == .lapsed ? facts.reading?.ended.last(countingRefunds: facts.offer.terms.afterRefund == .allow) : nil
        last = ended ?? subscription
    }

    /// The subscription as the offer counts it, without a full stop.
    var phrase: String {
        guard held != subscription.state else { return subscription.phrase }
        let words = subscription.phrase(as: held)
        let owner = subscription.state == .assigned ? "Assigned, and paid for by others" : "Shared by a family member"
        return "\(owner): \(words.prefix(1).lowercased())\(words.dropFirst())"
    }

    /// Whether the customer has lapsed by Apple's word, or by one of two words that contradict each other.
    var mayHaveLapsed: Bool { state == .lapsed || alternative == .lapsed || alternative == .refunded }

    /// Lapsed subscriptions whose end nobody knows, beside the one that is taken for the last: each may have been it.
    var undatedBesideLast: [Subscription] {
        mayHaveLapsed ? (offerFacts.reading?.ended.undated ?? []).filter { $0 !== last } : []
    }

    /// One of them by which the customer would come from these products, and by the last one not, or the reverse.
    func undated(decidingOn products: Set<String>) -> Subscription? {
        let isFromThem = !products.isDisjoint(with: self.products)
        return undatedBesideLast.filter { $0.productId.map(products.contains) != isFromThem }
            .max(by: StrongestSubscription.isWeaker)
    }

    /// The time for which a lapsed customer has been away, by Apple's clock; `nil` when that is not known.
    var lapsedMilliseconds: Int64? {
        guard offerFacts.reading?.ended.undated.isEmpty ?? true else { return nil }
        return last.endsAt.map { end in
            let clock = last.clock
            let (time, overflow) = clock.millisecondsSince1970.subtractingReportingOverflow(end.millisecondsSince1970)
            return overflow ? .max : max(time, 0)
        }
    }
}
