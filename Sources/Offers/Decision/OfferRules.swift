// The rules for promotional offers, in the order in which they are asked. The first that refuses gives the reason.

/// The rules for promotional offers that need no subscription to be asked.
enum OfferRules {
    static let maximumAccountsPerTransaction = "maximumAccountsPerTransaction"

    static let ofCatalog: [Rule<CatalogFacts, Reason>] = [
        Rule(
            "catalog",
            wants: "The catalog has the offer, or the product.",
            refusal: { $0.offer == nil ? .offerNotInCatalog : nil },
            saw: { facts in
                guard let product = facts.place?.product, facts.offer != nil else {
                    return facts.app.phrase(forMissing: facts.request)
                }
                return "The catalog has the offer \(facts.request.offerId) on \(product.id)."
            }
        )
    ]

    /// Whether the evidence is this app's and this account's.
    static let ofOwner: [Rule<OfferFacts, Reason>] = [
        .bundleId(other: .bundleMismatch, missing: nil),
        .environments(other: .environmentNotAllowed, missing: nil),
        .account(other: .accountMismatch),
        Rule(
            maximumAccountsPerTransaction,
            wants: "The evidence was not shown for too many accounts.",
            refusal: { facts in
                guard facts.countsAccounts, let presentations = facts.presentations else { return nil }
                return presentations.allows(facts.app.maximumAccountsPerTransaction) ? nil : .evidenceShared
            },
            saw: { facts in
                guard facts.countsAccounts, let presentations = facts.presentations else {
                    return "The accounts that the evidence is presented for are not counted here."
                }
                return LedgerPhrases.presentations(presentations, maximum: facts.app.maximumAccountsPerTransaction)
            }
        ),
    ]

    /// Whether the offer is on, by the server's clock.
    static let ofWindow: [Rule<OfferFacts, Reason>] = [
        Rule(
            OfferKey("startsAt", .moment(\.startsAt), "when the offer begins, by the server's clock"),
            wants: "The offer has begun.",
            refusal: { facts in facts.offer.terms.startsAt.map { facts.now < $0 } == true ? .offerNotStarted : nil },
            saw: { facts in
                guard let startsAt = facts.offer.terms.startsAt else {
                    return "The offer has no start; the service's clock says \(facts.now.rfc3339)."
                }
                let verb = facts.now < startsAt ? "starts" : "started"
                return "The offer \(verb) at \(startsAt.rfc3339); the service's clock says \(facts.now.rfc3339)."
            }
        ),
        Rule(
            OfferKey(
                "endsAt",
                .moment(\.endsAt),
                "when the offer is over, by the server's clock",
                unmeetable: { terms in
                    guard let startsAt = terms.startsAt, let endsAt = terms.endsAt, endsAt <= startsAt else {
                        return nil
                    }
                    return "is not after startsAt (\(startsAt.rfc3339)); the offer would never be on"
                }
            ),
            wants: "The offer is not over.",
            refusal: { facts in facts.offer.terms.endsAt.map { facts.now >= $0 } == true ? .offerEnded : nil },
            saw: { facts in
                guard let endsAt = facts.offer.terms.endsAt else {
                    return "The offer has no end; the service's clock says \(facts.now.rfc3339)."
                }
                let verb = facts.now < endsAt ? "ends" : "ended"
                return "The offer \(verb) at \(endsAt.rfc3339); the service's clock says \(facts.now.rfc3339)."
            }
        ),
    ]

    /// Whether the evidence shows the customer's subscription.
    static let ofEvidence: [Rule<OfferFacts, Reason>] = [
        Rule(
            "evidence",
            wants: "There is evidence that says what the customer has.",
            refusal: { facts in
                guard let book = facts.book else { return .noEvidence }
                guard book.asOf != nil else { return .evidenceStale }
                guard book.bundleId != nil else { return .noEvidence }
                switch facts.doubt {
                case .endNotSaid, .onlyRevokedAhead, .notUnderstood: return .noEvidence
                case .known, .wasToRenew, nil: return facts.reading?.status == .noEvidence ? .noEvidence : nil
                }
            },
            saw: { facts in
                switch facts.doubt {
                case .endNotSaid: return EvidencePhrases.endNotSaid(of: facts.reading?.subscription?.transaction)
                case .onlyRevokedAhead: return EvidencePhrases.onlyRevokedAhead
                case .notUnderstood: return facts.reading?.subscription.map { "\($0.phrase)." } ?? EvidencePhrases.none
                case .known, .wasToRenew, nil: return EvidencePhrases.evidence(facts.request.customer, facts.reading)
                }
            }
        ),
        Rule(
            "subscriptionGroup",
            wants: "It is known which group the subscription is of.",
            refusal: { $0.reading?.status == .groupUnknown ? .groupUnknown : nil },
            saw: { facts in
                if facts.reading?.status == .groupUnknown {
                    return EvidencePhrases.groupUnknown(of: facts.request.customer.book, in: facts.request.app)
                }
                return facts.offer.terms.scope == .app
                    ? "The offer counts the subscriptions of the whole app."
                    : "The offer counts the subscriptions of group \(facts.group.id)."
            }
        ),
        .evidenceAge(stale: .evidenceStale),
        Rule(
            "subscription",
            wants: "The customer has or had a subscription.",
            refusal: { facts in
                switch facts.reading?.status {
                case .subscriber: nil
                case .neverSubscribed: .neverSubscribed
                case .noPendingRenewalInfo: .noPendingRenewalInfo
                case .groupUnknown: .groupUnknown
                case .noEvidence, nil: .noEvidence
                }
            },
            saw: { EvidencePhrases.status($0) }
        ),
    ]
}
