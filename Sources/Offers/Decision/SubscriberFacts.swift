/// What an offer's rules look at once it is known which subscription counts.
///
/// A reference, as every rule is handed it: copying the values in it for each would take longer than the rules.
final class SubscriberFacts: Sendable {
    let offerFacts: OfferFacts
    /// The subscription that counts.
    let subscription: Subscription
    /// What the customer is, shared purchases counted where the offer allows them.
    let held: SubscriberState
    /// What the audience is asked about: a refunded customer has lapsed.
    let state: SubscriberState
    /// Of a customer who has lapsed the subscription by which there was access last, as far as is known; else the one
    /// that counts.
    let last: Subscription

    var offer: PromotionalOffer { offerFacts.offer }

    /// The products of the subscriptions that are running, or of the one that was held last; empty where the evidence
    /// does not say.
    var products: Set<String> {
        Set((offerFacts.reading?.alsoRunning ?? []) + [last.productId].compactMap(\.self))
    }

    /// Takes the facts from the evidence; `nil` when it has no subscription, or no date.
    init?(_ facts: OfferFacts) {
        guard let subscription = facts.reading?.subscription else { return nil }
        offerFacts = facts
        self.subscription = subscription
        let countsShared = facts.offer.familyShared == .allow && subscription.state == .familyShared
        held = countsShared ? subscription.stateCountingShared : subscription.state
        state = held == .refunded ? .lapsed : held
        let ended =
            state == .lapsed ? facts.reading?.ended.last(countingRefunds: facts.offer.afterRefund == .allow) : nil
        last = ended ?? subscription
    }

    /// What the evidence shows of the subscription, as the offer counts it, without a full stop.
    var phrase: String {
        guard held != subscription.state else { return subscription.phrase }
        let words = subscription.phrase(as: held)
        return "Shared by a family member: \(words.prefix(1).lowercased())\(words.dropFirst())"
    }

    /// A subscription that lapsed nobody knows when: it may have been the last.
    var undated: Subscription? { offerFacts.reading?.ended.undated }

    /// For how many milliseconds a lapsed customer has been away at Apple's clock; `nil` when that is not known.
    var lapsedMilliseconds: Int64? {
        guard undated == nil else { return nil }
        return last.endsAt.map { end in
            let clock = last.clock
            let (time, overflow) = clock.millisecondsSince1970.subtractingReportingOverflow(end.millisecondsSince1970)
            return overflow ? .max : max(time, 0)
        }
    }
}
