/// What the rules about evidence saw, in words that a support person can read aloud.
enum EvidencePhrases {
    static let none = "The request carries no evidence, and no state of the account is held."
    static let groupUnknown =
        "The evidence has a subscription whose group neither the catalog nor Apple's answer tells."

    static func app(of history: SubscriptionHistory?, for app: App) -> String {
        guard let history else { return none }
        guard let bundleId = history.bundleId else { return "The evidence does not say which app it is about." }
        return bundleId == app.bundleId
            ? "The evidence is of \(bundleId)." : "The evidence is of \(bundleId), not of \(app.bundleId)."
    }

    static func environment(of history: SubscriptionHistory?, for app: App) -> String {
        guard let history else { return none }
        let found = history.environment.map { "is from \($0.rawValue)" } ?? "does not say which environment it is from"
        return "The evidence \(found); \(app.environmentsPhrase) for the app."
    }

    static func account(_ account: Account, in reading: HistoryReading?) -> String {
        guard let reading else { return none }
        if reading.accounts.isEmpty { return "The evidence names no account." }
        guard let token = account.storedToken else {
            return account == .none
                ? "The evidence names an appAccountToken; the request names no account."
                : "The evidence names an appAccountToken; the request's applicationUsername is no UUID."
        }
        return reading.accounts.contains(token)
            ? "The evidence is of the account that is asked for."
            : "The evidence is of another account than the one that is asked for."
    }

    static func evidence(_ history: SubscriptionHistory?, standing: GroupStanding?) -> String {
        guard let history else { return none }
        guard let date = history.asOf else {
            let undated = "The evidence carries no date, so its age cannot be told."
            guard history.coverage == .oneSubscription else { return undated }
            return
                "\(undated) It is the answer about an iOS 6 style transaction receipt, which Apple does not date: send "
                + "that receipt itself, as receipt."
        }
        guard history.bundleId != nil else { return "The evidence does not say which app it is about." }
        if history.isHeld {
            let lack = history.isStandIn ? "The App Store could not be asked" : "No evidence was sent"
            guard standing == .noEvidence else {
                return "\(lack); the last that is held of the account was said at \(date.rfc3339). "
                    + "Expiry is judged by the service's clock."
            }
            return "\(lack), and the state held of the account has no subscription of the group."
        }
        if standing == .noEvidence {
            return history.renewals == nil
                ? "The evidence has no list of subscriptions (pending_renewal_info)."
                : "The evidence names no subscription of the group, and what was left out of it cannot be seen."
        }
        if history.coverage == .partial {
            return "Apple signed the last of the evidence at \(date.rfc3339); expiry is judged by the service's clock."
        }
        if case .subscriber(let subscription) = standing, subscription.clock != date {
            return "Apple made the evidence at \(date.rfc3339); more of the subscription was told at "
                + "\(subscription.clock.rfc3339), the clock by which its expiry is judged."
        }
        return "Apple made the evidence at \(date.rfc3339), the clock by which expiry is judged."
    }

    /// Of a subscription that was to renew after Apple last spoke of it.
    static func unknownRenewal(of subscription: Subscription?, after date: Timestamp) -> String {
        let end = subscription?.endsAt.map { " on \($0.rfc3339)" } ?? ""
        return
            "The subscription was to renew\(end), after Apple last spoke of it on \(date.rfc3339): whether it did is "
            + "not known. Send newer evidence."
    }

    /// Of a purchase of which nobody said when it ends; `nil` where upgraded ones alone are known.
    static func endNotSaid(of transaction: Transaction?) -> String {
        guard let transaction else {
            return "The evidence has upgraded transactions of the subscription alone: what followed them was left out."
        }
        let name = transaction.transactionId.map { " \($0)" } ?? ""
        return
            "Transaction\(name) of \(transaction.productId) has no end (expires_date_ms, expiresDate), so whether the "
            + "subscription has ended is not known."
    }

    static func age(of reading: HistoryReading?, limit: Int64, at now: Timestamp) -> String {
        guard let reading, let date = reading.date else { return none }
        let allowed = limit > 0 ? "\(limit) seconds are the limit" : "there is no limit"
        if reading.isHeld {
            let mend = EvidenceAge.isOver(limit, of: date, at: now) ? " Send evidence." : ""
            return "What is held of the subscription was told at \(date.rfc3339), and the service's clock says "
                + "\(now.rfc3339); \(allowed).\(mend)"
        }
        return "The evidence is of \(date.rfc3339), and the service's clock says \(now.rfc3339); \(allowed)."
    }

    static func standing(_ facts: OfferFacts) -> String {
        let place = facts.offer.scope == .app ? "the app" : "group \(facts.group.id)"
        switch facts.reading?.standing {
        case .subscriber(let subscription): return "\(subscription.basisPhrase)."
        case .neverSubscribed: return "The customer has had no subscription of \(place)."
        case .noPendingRenewalInfo:
            return "There are purchases in \(place), but no pending_renewal_info entry for it."
        case .groupUnknown: return groupUnknown
        case .noEvidence, nil: return none
        }
    }
}
