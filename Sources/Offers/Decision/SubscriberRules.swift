/// The rules for promotional offers that are asked about a subscription, after those of ``OfferRules``.
enum SubscriberRules {
    /// The name of the rule about how often an offer is signed.
    static let signatureLimitName = "maximumSignaturesPerCustomer"

    /// Whether a customer who is or was a subscriber may have the offer.
    static let inOrder: [Rule<SubscriberFacts, Reason>] = [
        afterRefund, familyShared, assigned, audience, fromProducts, minimumLapsedDays, maximumLapsedDays,
        maxRedemptions,
        maximumSignaturesPerCustomer,
    ]

    private static let afterRefund = Rule<SubscriberFacts, Reason>(
        "afterRefund",
        refusal: { facts in
            guard facts.offer.afterRefund == .refuse else { return nil }
            return facts.held == .refunded || facts.alternative == .refunded ? .refunded : nil
        },
        saw: { facts in
            guard facts.held == .refunded else {
                return "The newest purchase of the subscription that counts was not refunded."
            }
            return facts.offer.afterRefund == .refuse
                ? "\(facts.phrase)."
                : "\(facts.phrase); the offer allows that, and the customer counts as lapsed."
        }
    )

    private static let familyShared = Rule<SubscriberFacts, Reason>(
        "familyShared",
        refusal: { $0.held == .familyShared ? .familyShared : nil },
        saw: { facts in
            guard facts.subscription.state == .familyShared else { return "The subscription is the customer's own." }
            return facts.offer.familyShared == .refuse
                ? "\(facts.subscription.phrase)."
                : "The subscription is shared by a family member; the offer counts it as the customer's own."
        }
    )

    private static let assigned = Rule<SubscriberFacts, Reason>(
        "assigned",
        refusal: { $0.held == .assigned ? .assigned : nil },
        saw: { facts in
            guard facts.subscription.state == .assigned else { return "Nobody else pays for the subscription's seat." }
            return facts.offer.assigned == .refuse
                ? "\(facts.subscription.phrase)."
                : "An organisation or a group pays for the seat; the offer counts it as the customer's own."
        }
    )

    private static let audience = Rule<SubscriberFacts, Reason>(
        "audience",
        refusal: { facts in
            guard facts.offer.audience.contains(facts.state) else { return .stateNotInAudience }
            guard let other = facts.alternative else { return nil }
            return facts.offer.audience.contains(other == .refunded ? .lapsed : other) ? nil : .stateNotInAudience
        },
        saw: { facts in
            "\(facts.phrase)\(facts.subscription.alternativePhrase); the offer is for \(facts.offer.audiencePhrase)."
        }
    )

    private static let fromProducts = Rule<SubscriberFacts, Reason>(
        "fromProducts",
        refusal: { facts in
            guard let products = facts.offer.fromProducts else { return nil }
            return products.isDisjoint(with: facts.products) ? .notFromProduct : nil
        },
        saw: { facts in
            let products = facts.products.sorted().joined(separator: ", ")
            let held =
                products.isEmpty
                ? "The evidence does not say which product the customer has" : "The customer has or had \(products)"
            guard let products = facts.offer.fromProducts else {
                return "\(held); the offer asks for none in particular."
            }
            return "\(held); the offer is for those who come from \(products.sorted().joined(separator: ", "))."
        }
    )

    private static let minimumLapsedDays = Rule<SubscriberFacts, Reason>(
        "minimumLapsedDays",
        refusal: { facts in
            guard facts.state == .lapsed, let days = facts.offer.minimumLapsedDays else { return nil }
            guard let lapsed = facts.lapsedMilliseconds else { return .noEvidence }
            return lapsed < milliseconds(ofDays: days) ? .lapsedTooRecently : nil
        },
        saw: { facts in
            facts.offer.minimumLapsedDays.map { days in
                "\(facts.lapsePhrase(SubscriberFacts.wholeDays)); the offer asks for at least "
                    + "\(SubscriberFacts.count(days))."
            }
                ?? "The offer does not say how long a customer has to have been away."
        }
    )

    private static let maximumLapsedDays = Rule<SubscriberFacts, Reason>(
        "maximumLapsedDays",
        refusal: { facts in
            guard facts.state == .lapsed, let days = facts.offer.maximumLapsedDays else { return nil }
            guard let lapsed = facts.lapsedMilliseconds else { return .noEvidence }
            return lapsed > milliseconds(ofDays: days) ? .lapsedTooLong : nil
        },
        saw: { facts in
            facts.offer.maximumLapsedDays.map { days in
                "\(facts.lapsePhrase(SubscriberFacts.startedDays)); the offer allows at most "
                    + "\(SubscriberFacts.count(days))."
            }
                ?? "The offer does not say how long a customer may have been away."
        }
    )

    private static let maxRedemptions = Rule<SubscriberFacts, Reason>(
        "maxRedemptions",
        refusal: { facts in
            facts.offer.maxRedemptions.map { facts.offerFacts.redemptions >= $0 } == true ? .redemptionLimit : nil
        },
        saw: { facts in
            guard let limit = facts.offer.maxRedemptions else {
                return "The offer does not say how often a customer may redeem it."
            }
            switch facts.offerFacts.redemptions {
            case 0: return "The customer has not redeemed the offer; \(limit) is the limit."
            case 1: return "The customer has redeemed the offer once; \(limit) is the limit."
            case let count: return "The customer has redeemed the offer \(count) times; \(limit) is the limit."
            }
        }
    )

    private static let maximumSignaturesPerCustomer = Rule<SubscriberFacts, Reason>(
        signatureLimitName,
        refusal: { facts in
            guard let limit = facts.offer.signatureLimit, let count = facts.offerFacts.signatures else { return nil }
            return count >= limit.maximumSignaturesPerCustomer ? .signatureLimit : nil
        },
        saw: { facts in
            guard let limit = facts.offer.signatureLimit else {
                return "The offer does not say how often it is signed for a customer."
            }
            return LedgerPhrases.signatures(facts.offerFacts.signatures, limit: limit)
        }
    )

    private static func milliseconds(ofDays days: Int) -> Int64 {
        let (product, overflow) = Int64(days).multipliedReportingOverflow(by: 86_400_000)
        return overflow ? .max : product
    }
}

extension SubscriberFacts {
    /// Since when the customer has been away, without a full stop.
    ///
    /// - Parameter days: Puts the milliseconds since then into words.
    /// - Returns: The words.
    fileprivate func lapsePhrase(_ days: (Int64) -> String) -> String {
        guard state == .lapsed else { return "The subscription has not lapsed" }
        guard let end = last.endsAt, let lapsed = lapsedMilliseconds else {
            let name = undated.map { $0 !== subscription } == true ? "another" : "the"
            return "The evidence does not say when \(name) subscription ended"
        }
        let history = offerFacts.history?.value
        let isJudgedNow = history?.isJudgedByServersClock == true
        // State that was reported after the evidence is judged by the clock of its report.
        let moment = history?.asOf == last.clock ? "the evidence was made" : last.clock.rfc3339
        let age = isJudgedNow ? "ago" : "before \(moment)"
        let product = last.productId.map { " of \($0)" } ?? ""
        let name = last === subscription ? "The subscription" : "Another subscription\(product)"
        return "\(name) ended \(end.day), \(days(lapsed)) \(age)"
    }

    /// How many days are over: to be compared with the fewest that there have to be.
    fileprivate static func wholeDays(_ milliseconds: Int64) -> String {
        let days = milliseconds / 86_400_000
        return days == 0 ? "less than a day" : count(Int(days))
    }

    /// How many days have begun: to be compared with the most that there may be.
    fileprivate static func startedDays(_ milliseconds: Int64) -> String {
        let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        if days == 0 { return "less than a day" }
        return (rest > 0 ? "more than " : "") + count(Int(days))
    }

    fileprivate static func count(_ days: Int) -> String { days == 1 ? "1 day" : "\(days) days" }
}

/// When an offer starts that an eligible customer redeems now.
public enum OfferStart: String, Sendable {
    /// The offer begins at once.
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

    /// Whether an offer is running that a new one would end: the paid time is under one, or the next renewal is going
    /// to be.
    var hasRunningOffer: Bool {
        switch state {
        case .active, .activeAutoRenewOff: transaction?.offer != nil || renewal.offer != nil
        default: false
        }
    }
}
