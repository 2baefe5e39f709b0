/// When an offer starts that an eligible customer redeems now.
public enum OfferStart: String, Sendable {
    /// At once.
    case now
    /// When the running period ends.
    case nextRenewal = "next_renewal"
}

extension Subscription {
    /// When an offer on a product would start for a customer who has this subscription in the product's group.
    ///
    /// Without access there is nothing to wait for. On the product that the customer holds, an offer waits for the
    /// renewal; on another it starts as any change of plan does: an upgrade at once, a downgrade at the renewal, within a
    /// level at once where the periods are equally long (Apple, "Auto-renewable subscriptions", Ranking subscriptions
    /// within the group).
    ///
    /// - Parameters:
    ///   - product: The product that the offer is on.
    ///   - app: The app of the catalog, which knows levels and periods.
    /// - Returns: The start; `nil` when the catalog or the evidence does not say enough, the state is not known, and in the grace period, of which
    ///   Apple says nothing.
    func start(ofOfferOn product: Product, in app: App) -> OfferStart? {
        guard certainty == .known else { return nil }
        switch state {
        case .lapsed, .refunded, .billingRetry: return .now
        case .gracePeriod, .familyShared: return nil
        case .active, .activeAutoRenewOff: break
        }
        guard let productId else { return nil }
        if productId == product.id { return .nextRenewal }
        guard let held = app.product(productId)?.product, let heldLevel = held.level, let level = product.level else {
            return nil
        }
        if level != heldLevel { return level < heldLevel ? .now : .nextRenewal }
        guard let heldPeriod = held.period, let period = product.period else { return nil }
        return period == heldPeriod ? .now : .nextRenewal
    }

    /// Whether an offer is running that a new one would end: the paid time is under one, or the next renewal is going
    /// to be.
    var hasRunningOffer: Bool {
        switch state {
        case .active, .activeAutoRenewOff: transaction?.offer != nil || renewal.offer != nil
        default: false
        }
    }
}
