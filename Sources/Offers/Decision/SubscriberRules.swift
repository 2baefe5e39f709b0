/// The rules for promotional offers that are asked about a subscription, after those of ``OfferRules``.
enum SubscriberRules {
    static let inOrder: [Rule<SubscriberFacts, Reason>] =
        [afterRefund, familyShared, assigned, bundled, audience, fromProducts, duringTrial]
        + signed
        + [minimumLapsedDays, maximumLapsedDays, maxRedemptions, maximumSignaturesPerCustomer, holdout]

    private static let afterRefund = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "afterRefund",
            .treatment(\.afterRefund),
            "`allow`: a customer who was refunded counts as lapsed since the refund, or since the end of the paid time if "
                + "that was earlier. This also applies if another subscription lapsed before",
            shown: { $0.afterRefund == .allow ? "refunded customers, too" : nil },
            unmeetable: {
                $0.afterRefund == .allow && !$0.audience.contains(.lapsed)
                    ? "allows customers after a refund, who count as lapsed, but the audience leaves these out; add lapsed "
                        + "to the audience, or remove this rule" : nil
            }
        ),
        wants: "The newest purchase was not refunded, or the offer allows it.",
        refusal: { facts in
            guard facts.offer.terms.afterRefund == .refuse else { return nil }
            return facts.held == .refunded || facts.alternative == .refunded ? .refunded : nil
        },
        saw: { facts in
            guard facts.held == .refunded else {
                return "The newest purchase of the subscription that counts was not refunded."
            }
            return facts.offer.terms.afterRefund == .refuse
                ? "\(facts.phrase)."
                : "\(facts.phrase); the offer allows that, and the customer counts as lapsed."
        }
    )

    private static let familyShared = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "familyShared",
            .treatment(\.familyShared),
            "`allow`: a customer who bought nothing is judged by shared purchases. Apple may still refuse",
            shown: { $0.familyShared == .allow ? "shared purchases, too" : nil }
        ),
        wants: "The subscription is the customer’s own, or the offer allows shared ones.",
        refusal: { $0.held == .familyShared ? .familyShared : nil },
        saw: { facts in
            guard facts.subscription.state == .familyShared else { return "The subscription is the customer's own." }
            return facts.offer.terms.familyShared == .refuse
                ? "\(facts.subscription.phrase)."
                : "The subscription is shared by a family member; the offer counts it as the customer's own."
        }
    )

    private static let assigned = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "assigned",
            .treatment(\.assigned),
            "`allow`: a customer whose seat an organisation or a group pays for is judged by it. Apple may still refuse",
            shown: { $0.assigned == .allow ? "seats that others pay for, too" : nil }
        ),
        wants: "Nobody else pays for the subscription’s seat, or the offer allows that.",
        refusal: { $0.held == .assigned ? .assigned : nil },
        saw: { facts in
            guard facts.subscription.state == .assigned else { return "Nobody else pays for the subscription's seat." }
            return facts.offer.terms.assigned == .refuse
                ? "\(facts.subscription.phrase)."
                : "An organisation or a group pays for the seat; the offer counts it as the customer's own."
        }
    )

    private static let audience = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "audience",
            .states(\.audience),
            without: "all",
            "the customer's states, as below",
            staysOpen: { terms, _, _ in terms.audience.isSuperset(of: SubscriberState.audience) }
        ),
        wants: "The offer is for the state of the customer’s subscription.",
        refusal: { facts in
            guard facts.offer.terms.audience.contains(facts.state) else { return .stateNotInAudience }
            guard let other = facts.alternative else { return nil }
            return facts.offer.terms.audience.contains(other == .refunded ? .lapsed : other) ? nil : .stateNotInAudience
        },
        saw: { facts in
            "\(facts.phrase)\(facts.subscription.alternativePhrase); the offer is for \(facts.offer.audiencePhrase)."
        }
    )

    private static let fromProducts = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "fromProducts",
            .products(\.fromProducts),
            without: "all",
            "only for customers who have one of these products, or whose last subscription was one. With `scope: group` "
                + "they are products of the same group",
            shown: { terms in terms.fromProducts.map { "from \($0.sorted().joined(separator: ", "))" } }
        ),
        wants: "The customer comes from a product that the offer names.",
        refusal: { facts in
            guard let products = facts.offer.terms.fromProducts else { return nil }
            if facts.last.isRunningUnknown { return .noEvidence }
            if facts.undated(decidingOn: products) != nil { return .noEvidence }
            let isFromThem = !products.isDisjoint(with: facts.products)
            guard let other = facts.mayRun(decidingOn: products) else { return isFromThem ? nil : .notFromProduct }
            return if case .wasToRenew = other.certainty { .evidenceStale } else { .noEvidence }
        },
        saw: { facts in
            if facts.last.isRunningUnknown { return EvidencePhrases.runningUnknown }
            let products = facts.products.sorted().joined(separator: ", ")
            let held =
                products.isEmpty
                ? "The evidence does not say which product the customer has" : "The customer has or had \(products)"
            guard let products = facts.offer.terms.fromProducts else {
                return "\(held); the offer asks for none in particular."
            }
            let wanted = "the offer is for those who come from \(products.sorted().joined(separator: ", "))"
            if let other = facts.undated(decidingOn: products) {
                return "\(held), and when \(other.productId ?? "another one") ended is not known; \(wanted)."
            }
            guard let other = facts.mayRun(decidingOn: products) else { return "\(held); \(wanted)." }
            return "\(held), and whether \(other.productId ?? "another one") is running is not known; \(wanted)."
        }
    )

    private static let duringTrial = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "duringTrial",
            .treatment(\.duringTrial),
            "`refuse`: not for customers whose running period is free (`FREE_TRIAL` of any offer, `is_trial_period`)",
            shown: { $0.duringTrial == .refuse ? "not during a free period" : nil }
        ),
        wants: "The running period is paid for, or the offer allows a free one.",
        refusal: { facts in
            guard facts.offer.terms.duringTrial == .refuse, facts.mayRun, !facts.isShownPeriodOver else { return nil }
            if facts.subscription.isRunningUnknown { return .noEvidence }
            guard let isFree = facts.subscription.transaction?.isFree else { return .noEvidence }
            return isFree ? .inTrial : nil
        },
        saw: { facts in
            guard facts.mayRun else { return "No period is running." }
            if facts.isShownPeriodOver { return "The period that is shown is over, and none after it is free." }
            if facts.subscription.isRunningUnknown { return EvidencePhrases.runningUnknown }
            guard let isFree = facts.subscription.transaction?.isFree else {
                return "The evidence does not say whether the running period is free."
            }
            let allows = facts.offer.terms.duringTrial == .allow ? "; the offer allows that" : ""
            return isFree ? "The running period is free\(allows)." : "The running period is not free."
        }
    )

    private static let minimumLapsedDays = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "minimumLapsedDays",
            .number(lapsedDays, \.minimumLapsedDays),
            "how many days a lapsed customer has been away at least",
            shown: { terms in terms.minimumLapsedDays.map { "lapsed for \(OfferKey.days($0)) at least" } },
            unmeetable: { withoutLapsed($0.minimumLapsedDays, $0) },
            staysOpen: { terms, end, now in
                guard let days = terms.minimumLapsedDays else { return true }
                return end.map { $0.adding(days: days) <= now } ?? false
            }
        ),
        wants: "The customer was away for long enough.",
        refusal: { facts in
            guard facts.state == .lapsed, let days = facts.offer.terms.minimumLapsedDays else { return nil }
            guard let lapsed = facts.lapsedMilliseconds else { return .noEvidence }
            return lapsed < milliseconds(ofDays: days) ? .lapsedTooRecently : nil
        },
        saw: { facts in
            facts.offer.terms.minimumLapsedDays.map { days in
                "\(facts.lapsePhrase(SubscriberFacts.wholeDays)); the offer asks for at least "
                    + "\(OfferKey.days(days))."
            }
                ?? "The offer does not say how long a customer has to have been away."
        }
    )

    private static let maximumLapsedDays = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "maximumLapsedDays",
            .number(lapsedDays, \.maximumLapsedDays),
            "how many days a lapsed customer has been away at most",
            shown: { terms in terms.maximumLapsedDays.map { "lapsed for \(OfferKey.days($0)) at most" } },
            unmeetable: { terms in
                if let minimum = terms.minimumLapsedDays, terms.maximumLapsedDays.map({ $0 < minimum }) == true {
                    return "is less than minimumLapsedDays (\(minimum)); no lapsed subscriber could get the offer"
                }
                return withoutLapsed(terms.maximumLapsedDays, terms)
            },
            staysOpen: { terms, end, now in
                guard let days = terms.maximumLapsedDays else { return true }
                return end.map { $0.adding(days: days) >= now } ?? false
            }
        ),
        wants: "The customer was not away for too long.",
        refusal: { facts in
            guard facts.state == .lapsed, let days = facts.offer.terms.maximumLapsedDays else { return nil }
            guard let lapsed = facts.lapsedMilliseconds else { return .noEvidence }
            return lapsed > milliseconds(ofDays: days) ? .lapsedTooLong : nil
        },
        saw: { facts in
            facts.offer.terms.maximumLapsedDays.map { days in
                "\(facts.lapsePhrase(SubscriberFacts.startedDays)); the offer allows at most "
                    + "\(OfferKey.days(days))."
            }
                ?? "The offer does not say how long a customer may have been away."
        }
    )

    private static let maxRedemptions = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "maxRedemptions",
            .number(1...1_000_000, \.maxRedemptions),
            without: "no limit",
            "how often one customer may redeem an offer of this id in the group",
            shown: { terms in terms.maxRedemptions.map { "redeemed \(OfferKey.times($0)) at most" } }
        ),
        wants: "The customer has not redeemed the offer too often.",
        refusal: { facts in
            facts.offer.terms.maxRedemptions.map { facts.offerFacts.redemptions >= $0 } == true ? .redemptionLimit : nil
        },
        saw: { facts in
            guard let limit = facts.offer.terms.maxRedemptions else {
                return "The offer does not say how often a customer may redeem it."
            }
            switch facts.offerFacts.redemptions {
            case 0: return "The customer has not redeemed the offer; \(limit) is the limit."
            case 1: return "The customer has redeemed the offer once; \(limit) is the limit."
            case let count: return "The customer has redeemed the offer \(count) times; \(limit) is the limit."
            }
        }
    )

    /// The ledger refuses by it, too.
    static let maximumSignaturesPerCustomer = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "maximumSignaturesPerCustomer",
            .number(1...1_000_000, \.maximumSignaturesPerCustomer),
            without: "no limit",
            "how often it is signed for one customer in `signaturePeriodDays`",
            shown: { terms in
                terms.maximumSignaturesPerCustomer.map {
                    "signed \(OfferKey.times($0)) in \(OfferKey.days(terms.signaturePeriodDays)) at most"
                }
            }
        ),
        wants: "The offer was not signed for the customer too often.",
        refusal: { facts in
            guard let limit = facts.offer.terms.signatureLimit, let count = facts.offerFacts.signatures else {
                return nil
            }
            return count >= limit.maximumSignaturesPerCustomer ? .signatureLimit : nil
        },
        saw: { facts in
            guard let limit = facts.offer.terms.signatureLimit else {
                return "The offer does not say how often it is signed for a customer."
            }
            return LedgerPhrases.signatures(facts.offerFacts.signatures, limit: limit)
        }
    )

    /// The last one: only who would have the offer is held out of it.
    private static let holdout = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "holdout",
            .holdout(\.holdout),
            without: "nobody",
            "`{ percent: 10, name: spring26 }`: this share of the customers who would get the offer, 1 to 99, does not get "
                + "it, so that the others can be compared with them. `name`: the offer's id by default; offers of one "
                + "name share their draw",
            shown: { terms in terms.holdout.map { "\($0.percent) % are held out\($0.name.map { " of \($0)" } ?? "")" } }
        ),
        wants: "The customer is not among those who are held out, for comparison.",
        refusal: { $0.drawn?.isHeldOut == true ? .heldOut : nil },
        saw: { facts in
            guard let holdout = facts.offer.terms.holdout, let name = facts.offer.holdoutName else {
                return "The offer holds nobody out."
            }
            guard let isHeldOut = facts.drawn?.isHeldOut else {
                return "Nobody is named who could be drawn: neither an account nor a subscription."
            }
            let held = isHeldOut ? "the customer is one of them" : "the customer is none of them"
            return "\(holdout.percent) % of the customers are held out of \(name), for comparison; \(held)."
        }
    )

    static let lapsedDays = 1...36_500

    /// A rule about lapsed subscribers means nothing where the audience leaves these out.
    private static func withoutLapsed(_ days: Int?, _ terms: PromotionalOffer.Terms) -> String? {
        guard days != nil, !terms.audience.contains(.lapsed) else { return nil }
        return "concerns lapsed subscribers, but the audience leaves them out; add lapsed to the audience, or remove "
            + "this rule"
    }

    static func milliseconds(ofDays days: Int) -> Int64 {
        let (product, overflow) = Int64(days).multipliedReportingOverflow(by: 86_400_000)
        return overflow ? .max : product
    }
}

extension SubscriberFacts {
    /// Whether a period is running by Apple's word, or by one of two words that contradict each other.
    fileprivate var mayRun: Bool {
        [state, alternative].contains { $0 == .active || $0 == .activeAutoRenewOff }
    }

    /// Whether it was to renew since the evidence was made: a free period is not followed by another one.
    fileprivate var isShownPeriodOver: Bool {
        guard case .wasToRenew = subscription.certainty else { return false }
        return subscription.paidUntil.map { $0 <= offerFacts.now } ?? false
    }

    /// The end of the subscription and the time since, without a full stop.
    fileprivate func lapsePhrase(_ days: (Int64) -> String) -> String {
        guard state == .lapsed else { return "The subscription has not lapsed" }
        guard let end = last.endsAt, let lapsed = lapsedMilliseconds else {
            let name = last === subscription && last.endsAt != nil ? "another" : "the"
            return "The evidence does not say when \(name) subscription ended"
        }
        // State that was reported after the evidence is judged by the clock of its report.
        let moment = offerFacts.book?.asOf == last.clock ? "the evidence was made" : last.clock.rfc3339
        let age = last.asOf == nil ? "ago" : "before \(moment)"
        let product = last.productId.map { " of \($0)" } ?? ""
        let name = last === subscription ? "The subscription" : "Another subscription\(product)"
        return "\(name) ended \(end.day), \(days(lapsed)) \(age)"
    }

    /// For a comparison with the fewest days that there have to be.
    static func wholeDays(_ milliseconds: Int64) -> String {
        let days = milliseconds / 86_400_000
        return days == 0 ? "less than a day" : OfferKey.days(Int(days))
    }

    /// For a comparison with the most days that there may be.
    fileprivate static func startedDays(_ milliseconds: Int64) -> String {
        let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        if days == 0 { return "less than a day" }
        return (rest > 0 ? "more than " : "") + OfferKey.days(Int(days))
    }
}

/// The start of an offer that an eligible customer redeems now.
package enum OfferStart: String, Sendable {
    case now
    /// When the running period ends.
    case nextRenewal = "next_renewal"
}

extension Subscription {
    /// The start of an offer for a customer who has this subscription in the product's group.
    ///
    /// Without access there is nothing to wait for. On the product that the customer holds, an offer waits for the
    /// renewal; on another it starts as any change of plan does: an upgrade at once, a downgrade at the renewal, within
    /// a level at once where the periods are equally long (Apple, "Auto-renewable subscriptions", Ranking subscriptions
    /// within the group). It is `nil` when catalog or evidence does not say enough, the state is not known, and in the
    /// grace period, of which Apple says nothing.
    func start(ofOfferOn product: Product, in app: App) -> OfferStart? {
        guard certainty == .known, alternative == nil else { return nil }
        switch state {
        case .lapsed, .refunded, .billingRetry: return .now
        case .gracePeriod, .assigned, .familyShared: return nil
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

    /// Whether a new offer would end another: the paid time is under one, or the next renewal is going to be.
    var hasRunningOffer: Bool {
        switch state {
        case .active, .activeAutoRenewOff: transaction?.offer != nil || renewal.offer != nil
        default: false
        }
    }
}
