/// The rules that read what Apple signs beside dates and states.
extension SubscriberRules {
    /// Those that are asked one after the other, in order.
    static let signed = [lapsedBecause, storefronts, minimumTenureDays, duringPriceIncrease]

    static let bundled = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "bundled",
            .treatment(\.bundled),
            "`allow`: a customer whose subscription came with a bundle is judged by it. Apple may still refuse",
            shown: { $0.bundled == .allow ? "subscriptions that came with a bundle, too" : nil }
        ),
        wants: "The subscription was bought by itself, or the offer allows those of a bundle.",
        refusal: { facts in
            facts.offer.terms.bundled == .refuse && facts.subscription.transaction?.bundle != nil ? .bundled : nil
        },
        saw: { facts in
            guard let bundle = facts.subscription.transaction?.bundle else {
                return "The evidence names no bundle that the subscription came with."
            }
            let name = bundle.productId.map { " \($0)" } ?? ""
            return facts.offer.terms.bundled == .refuse
                ? "The subscription came with the bundle\(name), and whether Apple gives an offer for it is not known."
                : "The subscription came with the bundle\(name); the offer counts it as bought by itself."
        }
    )

    private static let lapsedBecause = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "lapsedBecause",
            .lapseReasons(\.lapsedBecause),
            without: "all",
            "of lapsed customers, only those whose subscription ended for one of these reasons: voluntary, billing, "
                + "priceIncrease, unavailable. Who else may have the offer is the `audience`'s word",
            shown: { terms in terms.lapsedBecause.map { "lapsed because of \(phrase($0))" } },
            pointless: { terms in
                terms.lapsedBecause != nil && !terms.audience.contains(.lapsed)
                    ? "concerns lapsed subscribers, but the audience leaves them out; add lapsed to the audience, or remove "
                        + "this rule" : nil
            },
            staysOpen: { terms, _, _ in terms.lapsedBecause == nil }
        ),
        wants: "The subscription ended for a reason that the offer names.",
        refusal: { facts in
            guard let reasons = facts.offer.terms.lapsedBecause, facts.mayHaveLapsed else { return nil }
            guard let reason = facts.lapseReason else { return .noEvidence }
            return reasons.contains(reason) ? nil : .notLapsedBecause
        },
        saw: { facts in
            guard facts.mayHaveLapsed else { return "The subscription has not lapsed." }
            let words =
                facts.lapseReason.map { "The subscription ended because of \(phrase([$0]))" }
                ?? (facts.undatedBesideLast.isEmpty
                    ? "The evidence does not say why the subscription ended (expirationIntent)"
                    : "The evidence does not say which subscription ended last")
            return facts.offer.terms.lapsedBecause.map { "\(words); the offer is for \(phrase($0))." }
                ?? "\(words); the offer asks for no reason."
        }
    )

    private static let storefronts = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "storefronts",
            .storefronts(\.storefronts),
            without: "all",
            "only for customers who bought in one of these countries' App Stores, as Apple writes them: `[USA, DEU]`. "
                + "verifyReceipt does not say it",
            shown: { terms in terms.storefronts.map { "in \($0.sorted().joined(separator: ", "))" } }
        ),
        wants: "The customer bought in an App Store that the offer names.",
        refusal: { facts in
            guard let storefronts = facts.offer.terms.storefronts else { return nil }
            guard !facts.last.isRunningUnknown, let storefront = facts.last.transaction?.storefront else {
                return .noEvidence
            }
            return storefronts.contains(storefront) ? nil : .notInStorefront
        },
        saw: { facts in
            if facts.last.isRunningUnknown { return EvidencePhrases.runningUnknown }
            let words =
                facts.last.transaction?.storefront.map { "The customer bought in the App Store of \($0)" }
                ?? "The evidence does not say in which App Store the customer bought (storefront)"
            return facts.offer.terms.storefronts.map {
                "\(words); the offer is for \($0.sorted().joined(separator: ", "))."
            }
                ?? "\(words); the offer asks for none in particular."
        }
    )

    private static let minimumTenureDays = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "minimumTenureDays",
            .number(lapsedDays, \.minimumTenureDays),
            "how many days ago a customer's first own purchase in the group has to be at least, paid for since or not",
            shown: { terms in terms.minimumTenureDays.map { "first bought \(OfferKey.days($0)) ago at least" } }
        ),
        wants: "The customer's first purchase was long enough ago.",
        refusal: { facts in
            guard let days = facts.offer.terms.minimumTenureDays else { return nil }
            let first = facts.firstPurchase
            guard let tenure = first.milliseconds else { return .noEvidence }
            if tenure >= milliseconds(ofDays: days) { return nil }
            return first.isKnown ? .tenureTooShort : .noEvidence
        },
        saw: { facts in
            guard let days = facts.offer.terms.minimumTenureDays else {
                return "The offer does not say how long ago the first purchase has to be."
            }
            let first = facts.firstPurchase
            guard let date = first.date, let tenure = first.milliseconds else {
                return "The evidence does not say when the customer first bought (originalPurchaseDate)."
            }
            let whole = SubscriberFacts.wholeDays(tenure)
            let words =
                first.isKnown
                ? "The customer first bought on \(date.day), \(whole) ago"
                : "The evidence may leave purchases out; of those that it has the customer made the first on \(date.day), "
                    + "\(whole) ago"
            return "\(words); the offer asks for at least \(OfferKey.days(days))."
        }
    )

    private static let duringPriceIncrease = Rule<SubscriberFacts, Reason>(
        OfferKey(
            "duringPriceIncrease",
            .treatment(\.duringPriceIncrease),
            "`refuse`: not for customers whom Apple has asked to accept a higher price, and who have not answered",
            shown: { $0.duringPriceIncrease == .refuse ? "not before the answer to a higher price" : nil }
        ),
        wants: "No answer to a higher price is due, or the offer allows that.",
        refusal: { facts in
            guard facts.offer.terms.duringPriceIncrease == .refuse else { return nil }
            guard !facts.subscription.renewal.isStandIn else { return .noEvidence }
            switch facts.subscription.renewal.priceIncrease {
            case .notDue, .accepted: return nil
            case .pending: return .priceIncreasePending
            case .unknown: return .noEvidence
            }
        },
        saw: { facts in
            guard !facts.subscription.renewal.isStandIn else {
                return "There is no renewal info of the subscription, which would say whether its price rises."
            }
            let allows = facts.offer.terms.duringPriceIncrease == .allow ? "; the offer allows that" : ""
            return switch facts.subscription.renewal.priceIncrease {
            case .notDue: "No answer to a higher price is due."
            case .accepted: "The customer has accepted a higher price, or need not answer."
            case .pending: "The customer has not answered to a higher price\(allows)."
            case .unknown: "What the evidence says of a higher price is not known here\(allows)."
            }
        }
    )

    private static func phrase(_ reasons: Set<LapseReason>) -> String {
        LapseReason.allCases.filter(reasons.contains).map(\.rawValue).joined(separator: ", ")
    }
}

extension SubscriberFacts {
    /// Why the subscription that ended last did; `nil` where that is not known, and after a refund.
    fileprivate var lapseReason: LapseReason? {
        let reason = last.renewal.lapseReason
        return (undatedBesideLast + [last]).allSatisfy { !$0.isMaybe(.refunded) && $0.renewal.lapseReason == reason }
            ? reason : nil
    }

    /// The first purchase of the customer's own in the offer's scope, by `originalPurchaseDate`.
    fileprivate var firstPurchase: (date: Timestamp?, isKnown: Bool, milliseconds: Int64?) {
        guard let book = offerFacts.request.ownBook else { return (nil, false, nil) }
        let group = offer.terms.scope == .app ? nil : offerFacts.group.id
        var first: Timestamp?
        var hasOthers = false
        var (dated, undated) = (Set<String>(), Set<String>())
        for place in book.chapters.indices {
            for said in book.chapters[place].transactions {
                let bought = said.content
                // Of the whole app, what has neither group nor end is no subscription.
                let place = Book.group(of: bought, in: offerFacts.app)
                let isHere = group == nil ? place != nil || bought.expiresDate != nil : place == group
                guard bought.kind == .subscription else { continue }
                guard isHere else {
                    let isOpen = place == nil && bought.expiresDate != nil && bought.isOwnPurchase
                    if isOpen { undated.insert(bought.originalTransactionId) }
                    continue
                }
                guard bought.isOwnPurchase else {
                    hasOthers = true
                    continue
                }
                if let date = bought.originalPurchaseDate {
                    first = min(first ?? date, date)
                    dated.insert(bought.originalTransactionId)
                } else {
                    undated.insert(bought.originalTransactionId)
                }
            }
        }
        // Beside a shared one that is newer, a purchase of one's own may be left out.
        let coverage = book.listing?.coverage ?? .partial
        let isTold = coverage == .complete || coverage.showsEverySubscription && !hasOthers
        let clock = subscription.clock.millisecondsSince1970
        let time = first.map { date in
            let (time, overflow) = clock.subtractingReportingOverflow(date.millisecondsSince1970)
            return overflow ? .max : max(time, 0)
        }
        return (first, isTold && undated.isSubset(of: dated), time)
    }
}
