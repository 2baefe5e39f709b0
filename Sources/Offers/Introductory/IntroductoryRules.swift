/// The rules for introductory offers, in the order in which they are asked: the first that refuses gives the reason.
///
/// The rule is Apple's ("Implementing introductory offers in your app"): the customer has used no introductory offer of
/// the group, and is no subscriber of it.
enum IntroductoryRules {
    static let ofCatalog: [Rule<IntroductoryFacts, IntroductoryReason>] = [
        Rule(
            "catalog",
            refusal: { $0.group == nil ? .groupUnknown : nil },
            saw: { facts in
                facts.group.map { "The product \(facts.productId) is of group \($0.id)." }
                    ?? "The catalog has no product \(facts.productId), so its group is not known."
            }
        )
    ]

    /// Whether the evidence is about this customer of this app.
    static let ofOwner: [Rule<IntroductoryFacts, IntroductoryReason>] = [
        .bundleId(other: .noEvidence, missing: .noEvidence),
        .environments(other: .noEvidence, missing: .noEvidence),
        .account(other: .noEvidence),
    ]

    static let ofEvidence: [Rule<IntroductoryFacts, IntroductoryReason>] = [
        Rule(
            "evidence",
            refusal: { $0.book?.asOf == nil ? .evidenceStale : nil },
            saw: { EvidencePhrases.evidence($0.request.customer, $0.reading) }
        ),
        .evidenceAge(stale: .evidenceStale),
    ]

    static let ofPast: [Rule<IntroductoryPast, IntroductoryReason>] = [
        Rule(
            "introductoryOffer",
            wants: "No introductory offer of the group was used.",
            refusal: { $0.introductory == nil ? nil : .alreadyUsed },
            saw: { past in
                guard let used = past.introductory else {
                    return "The evidence shows no trial and no introductory price in group \(past.groupId)."
                }
                let day = used.purchaseDate.map { " on \($0.day)" } ?? ""
                return "The customer used a trial or introductory price of group \(past.groupId)\(day): "
                    + "transaction \(used.transactionId ?? "of subscription \(used.originalTransactionId)")."
            }
        ),
        Rule(
            "activeSubscription",
            wants: "No subscription of the group is active.",
            refusal: { $0.running != nil || $0.active != nil ? .activeSubscription : nil },
            saw: { past in
                if let active = past.active { return "\(active.basisPhrase)." }
                if let subscription = past.subscription, past.running == nil { return "\(subscription.basisPhrase)." }
                let paid = past.running?.expiresDate.map { " until \($0.day)" } ?? ""
                return past.running != nil
                    ? "A subscription of group \(past.groupId) is running\(paid)."
                    : "No subscription of group \(past.groupId) is running."
            }
        ),
        Rule(
            "gracePeriod",
            wants: "No subscription of the group is in its grace period.",
            refusal: { $0.inGrace == nil ? nil : .gracePeriod },
            saw: { past in
                past.inGrace.map { "\($0.gracePhrase), with access for the customer." } ?? "No grace period is running."
            }
        ),
        Rule(
            "subscriptionGroup",
            refusal: { $0.undetermined == nil ? nil : .groupUnknown },
            saw: { $0.undetermined ?? "The group of every purchase that counts is known." }
        ),
        Rule(
            "coverage",
            wants: "The evidence has every subscription of the group.",
            refusal: { $0.isWhole && $0.endNotSaid == nil && $0.maybeIntroductory == nil ? nil : .noEvidence },
            saw: { past in
                if let sentence = past.endNotSaid { return sentence }
                if past.isWhole, let purchase = past.maybeIntroductory {
                    return
                        "The purchase of \(purchase.productId)\(purchase.purchaseDate.map { " on \($0.day)" } ?? "") does not say "
                        + "whether it was a trial (is_trial_period)."
                }
                return past.isWhole
                    ? "The evidence shows all that happened in group \(past.groupId)."
                    : "What the evidence leaves out of group \(past.groupId) cannot be seen; an introductory offer may "
                        + "have been used there."
            }
        ),
        Rule(
            "renewal",
            wants: "It is known how the subscriptions ended.",
            refusal: { $0.renewing == nil || $0.active != nil ? nil : .evidenceStale },
            saw: { past in
                guard let renewing = past.renewing, case .wasToRenew(let date) = renewing.certainty, past.active == nil
                else {
                    return
                        "What became of every subscription of group \(past.groupId) is known, or another one is active."
                }
                return EvidencePhrases.unknownRenewal(of: renewing, after: date)
            }
        ),
    ]
}

/// The facts for the introductory rules about evidence.
struct IntroductoryFacts: EvidenceFacts {
    let request: RequestFacts
    let productId: String
    /// `nil` when the catalog does not have the product.
    let group: SubscriptionGroup?
    let reading: GroupReading?
}
