// The sentences of a decision's detail, in words that a support person can read aloud.

extension SubscriberState {
    /// `nil` for states that no offer is for.
    var eligibleReason: Reason? {
        switch self {
        case .active: .active
        case .activeAutoRenewOff: .activeAutoRenewOff
        case .gracePeriod: .gracePeriod
        case .billingRetry: .billingRetry
        case .lapsed: .lapsed
        case .refunded, .assigned, .familyShared: nil
        }
    }

    /// As in "the offer is for …".
    var people: String {
        switch self {
        case .active: "active subscribers"
        case .activeAutoRenewOff: "active subscribers with auto-renew off"
        case .gracePeriod: "subscribers in the grace period"
        case .billingRetry: "subscribers in billing retry"
        case .lapsed: "lapsed subscribers"
        case .refunded: "customers with a refund"
        case .assigned: "customers whose seat others pay for"
        case .familyShared: "family members"
        }
    }
}

extension PromotionalOffer {
    /// As in "the offer is for …".
    static func phrase(of audience: Set<SubscriberState>) -> String {
        let states = SubscriberState.audience.filter(audience.contains)
        return states.count == SubscriberState.audience.count
            ? "every current or former subscriber" : states.map(\.people).enumeration
    }
}

extension Subscription {
    /// Without a full stop.
    var phrase: String { phrase(as: state) }

    /// In its own state, or in its state if shared purchases counted; without a full stop.
    func phrase(as state: SubscriberState) -> String {
        let expiry = paidUntil?.day
        if case .notUnderstood(let value) = certainty { return EvidencePhrases.notUnderstood(value, of: transaction) }
        switch state {
        case .active:
            guard let expiry else { return "The subscription is active" }
            if certainty != .known { return "The subscription was to renew \(expiry)" }
            return renewal.autoRenewStatus == nil
                ? "The subscription is active, paid until \(expiry)" : "The subscription renews \(expiry)"
        case .activeAutoRenewOff:
            if renewal.autoRenewStatus != false, let commitment = commitmentPhrase {
                return "The subscription is paid month by month\(commitment), and ends then"
            }
            return expiry.map { "The subscription ends \($0), auto-renew is off" }
                ?? "The subscription is active, auto-renew is off"
        case .gracePeriod: return gracePhrase
        case .billingRetry: return "The renewal failed, and Apple is retrying it"
        case .lapsed:
            let end = paidUntil.flatMap { $0 > clock ? nil : $0.day }
            return end.map { "The subscription expired \($0)" } ?? "The subscription has ended"
        case .refunded:
            return "The newest purchase was \(transaction?.revocation?.phrase ?? "refunded or revoked")\(revokedDay)"
        case .familyShared:
            guard transaction?.revocation?.kind == .family else {
                return "The subscription is shared by a family member"
            }
            return "Family Sharing of the subscription ended\(revokedDay), and nobody was refunded"
        case .assigned:
            guard transaction?.revocation?.kind == .assignment else {
                return "An organisation or a group pays for the subscription (ASSIGNED)"
            }
            return "The customer's seat of the subscription was taken away\(revokedDay), and nobody was refunded"
        }
    }

    /// Without a full stop.
    var gracePhrase: String {
        let end = renewal.gracePeriodExpiresDate.map { " until \($0.day)" } ?? ""
        return "The renewal failed, with a grace period\(end)"
    }

    private var revokedDay: String { transaction?.revocationDate.map { " on \($0.day)" } ?? "" }

    /// The second state in which an offer has to hold, in words that follow others; empty for most.
    var alternativePhrase: String {
        guard let alternative else { return "" }
        if hasNoEntry { return ", and no pending_renewal_info entry says whether it renews" }
        // Of a refunded purchase the status is the other word, else it is the first.
        let apples = transaction?.revocation == nil ? "" : renewal.status.map { " (\($0.code.words))" } ?? ""
        let words = phrase(as: alternative)
        return ", but Apple also says otherwise\(apples): \(words.prefix(1).lowercased())\(words.dropFirst())"
    }

    /// The progress of a commitment, in words that follow others; `nil` without one.
    private var commitmentPhrase: String? {
        guard case .monthly(let commitment?) = transaction?.billingPlan else { return nil }
        var period = ""
        if let number = commitment.billingPeriodNumber, let total = commitment.totalBillingPeriods {
            period = ", billing period \(number) of \(total)"
        }
        return period + (commitment.expiresDate.map { ", until the commitment is over \($0.day)" } ?? "")
    }
}

extension Revocation {
    /// As in "the newest purchase was …".
    fileprivate var phrase: String {
        switch kind {
        case .full: "refunded in full"
        case .prorated:
            percentage.map { thousandths in
                let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
                let decimals = rest == 0 ? "" : ".\(String(rest.magnitude + 1000).dropFirst())"
                return "refunded in part (\(whole)\(decimals) %)"
            } ?? "refunded in part"
        case .family: "no longer shared by a family member"
        case .assignment: "no longer assigned"
        case .unknown(let name): "revoked (\(name))"
        }
    }
}

extension Subscription {
    /// The entry and the transaction that the state rests on, without a full stop.
    var basisPhrase: String {
        let id = renewal.originalTransactionId.map { " \($0)" } ?? ""
        // An entry without a product is named by the last purchase.
        let product = (renewal.isStandIn ? productId : renewal.productId).map { " of \($0)" } ?? ""
        let renews = renewal.autoRenewStatus.map { $0 ? ", auto-renew on" : ", auto-renew off" } ?? ""
        let entry = "Subscription\(id)\(product)\(renews)"
        guard let transaction else { return "\(entry); the evidence has no transaction of it that counts. \(phrase)" }
        let name = transaction.transactionId.map { " \($0)" } ?? ""
        let bought = transaction.purchaseDate.map { ", bought \($0.rfc3339)" } ?? ""
        let expires = paidUntil.map { ", paid until \($0.rfc3339)" } ?? ""
        let plan = commitmentPhrase.map { ", paid month by month\($0)" } ?? ""
        let apples = renewal.status.map { ". Apple's status is \($0.code.rawValue) (\($0.code.words))" } ?? ""
        return
            "\(entry); its newest transaction that counts is\(name) of \(transaction.productId)\(bought)\(expires)\(plan)"
            + "\(apples). \(phrase)"
    }
}

extension SubscriptionStatus.Code {
    /// Apple's name of the status.
    fileprivate var words: String {
        switch self {
        case .active: "active"
        case .expired: "expired"
        case .billingRetry: "billing retry"
        case .gracePeriod: "grace period"
        case .revoked: "revoked"
        case .unknown: "not known"
        }
    }
}

/// The findings of the rules about evidence, in words that a support person can read aloud.
enum EvidencePhrases {
    static let none =
        "The request carries no evidence of a subscription, and no state of the account is held in an environment that counts."
    private static let appUnknown = "The evidence does not say which app it is about."
    /// With the products that the catalog lacks, if any.
    static func groupUnknown(of book: Book?, in app: App) -> String {
        var products: Set<String> = []
        for chapter in book?.chapters ?? [] {
            if let product = chapter.renewal?.content?.productId { products.insert(product) }
            for row in chapter.transactions where row.content.kind == .subscription && row.content.expiresDate != nil {
                products.insert(row.content.productId)
            }
        }
        let unlisted = Array(products.filter { app.product($0) == nil }.sorted().prefix(3))
        let fix = unlisted.isEmpty ? "" : ": list \(unlisted.enumeration) in the catalog"
        return "The evidence has a subscription whose group cannot be told from the catalog and Apple's answer\(fix)."
    }

    static func app(of book: Book?, for app: App) -> String {
        guard let book else { return none }
        guard let bundleId = book.bundleId else { return appUnknown }
        return bundleId == app.bundleId
            ? "The evidence is of \(bundleId)." : "The evidence is of \(bundleId), not of \(app.bundleId)."
    }

    static func environment(of book: Book?, in request: RequestFacts) -> String {
        guard let book else { return none }
        let found = book.environment.map { "is from \($0.rawValue)" } ?? "does not say which environment it is from"
        let names = AppStoreEnvironment.allCases.filter(request.environments.contains).map(\.rawValue)
        let isNarrowed = request.environments != request.app.environments
        let subject =
            isNarrowed ? "client, by its environments in clients.yaml" : "app, by its environments in the catalog"
        let fix = book.environment == nil ? fixOfOldReceipt(book) : ""
        return
            "The evidence \(found); only \(names.enumeration) \(names.count == 1 ? "counts" : "count") for the \(subject).\(fix)"
    }

    /// For an answer that says too little because of what it was asked about; empty for every other.
    private static func fixOfOldReceipt(_ book: Book) -> String {
        guard book.listing?.coverage == .oneSubscription else { return "" }
        return " It is the answer about an iOS 6 style transaction receipt, which Apple does not date: send that "
            + "receipt itself, as receipt."
    }

    static func account(_ account: Account, in reading: GroupReading?) -> String {
        guard let reading else { return none }
        if reading.accounts.isEmpty { return "The evidence names no account." }
        guard let token = account.storedToken else {
            return account == .none
                ? "The evidence names an appAccountToken; the request names no account."
                : "The evidence names an appAccountToken; the request's applicationUsername is no UUID."
        }
        return reading.accounts.contains(token)
            ? "The evidence is of the account that is asked for."
            : "The evidence names another appAccountToken than the request: the one that the app set on the purchase."
    }

    static func evidence(_ customer: Customer, _ reading: GroupReading?) -> String {
        guard let book = customer.book, let listing = book.listing else { return none }
        guard let date = listing.asOf else {
            return "The evidence carries no date, so its age is not known.\(fixOfOldReceipt(book))"
        }
        guard listing.bundleId != nil else { return appUnknown }
        let status = reading?.status
        if status == .noEvidence, let other = reading?.otherPurchase {
            let name = other.transactionId.map { " \($0)" } ?? ""
            let type = other.typeName.map { "is of the type \"\($0.prefix(64))\"" } ?? "does not say its type"
            return
                "Transaction\(name) of \(other.productId) \(type): promotional offers are for auto-renewable subscriptions."
        }
        if listing.isHeld {
            let lack = customer.isStandIn ? "The App Store could not be asked" : "No evidence was sent"
            guard status == .noEvidence else {
                return "\(lack); Apple last spoke of the account at \(date.rfc3339). "
                    + "Expiry is judged by the service's clock."
            }
            return "\(lack), and the state held of the account has no subscription of the group."
        }
        if status == .noEvidence {
            return listing.coverage == .withoutEntries
                ? "The evidence has no list of subscriptions (pending_renewal_info)."
                : "The evidence names no subscription of the group, and what was left out of it cannot be seen."
        }
        if listing.coverage == .partial {
            return "Apple signed the last of the evidence at \(date.rfc3339); expiry is judged by the service's clock."
        }
        guard case .subscriber(let subscription) = status else { return made(at: date) }
        if !subscription.isEvident {
            let said = subscription.said.map { "; Apple last spoke of it at \($0.last.rfc3339)" } ?? ""
            return "The evidence does not name the subscription\(said). Its expiry is judged by the service's clock."
        }
        guard subscription.clock != date else { return made(at: date) }
        return "Apple made the evidence at \(date.rfc3339); a newer statement about the subscription is of "
            + "\(subscription.clock.rfc3339), the clock by which its expiry is judged."
    }

    private static func made(at date: Timestamp) -> String {
        "Apple made the evidence at \(date.rfc3339), the clock by which expiry is judged."
    }

    static let onlyRevokedAhead =
        "The evidence has only a renewal that was refunded or revoked before its period begins, and not the period before it: "
        + "send that transaction, too."

    static let runningUnknown =
        "The evidence has only a renewal whose period has not begun, and not the running one: send that transaction, too."

    /// For a subscription that was to renew after Apple last spoke of it.
    static func unknownRenewal(of subscription: Subscription?, after date: Timestamp) -> String {
        let failed = subscription?.failedRenewalEnd.map { $0.millisecondsSince1970 == .min ? "" : " by \($0.rfc3339)" }
        let end = failed ?? subscription?.endsAt.map { " on \($0.rfc3339)" } ?? ""
        return
            "The subscription was to renew\(end), after Apple last spoke of it on \(date.rfc3339): whether it did is "
            + "not known. Send newer evidence."
    }

    /// For a purchase without an end; with `nil` for upgraded purchases alone.
    static func endNotSaid(of transaction: Transaction?) -> String {
        guard let transaction else {
            return
                "The evidence has only upgraded transactions of the subscription; those after them were left out."
        }
        let name = transaction.transactionId.map { " \($0)" } ?? ""
        return
            "Transaction\(name) of \(transaction.productId) has no end (expires_date_ms, expiresDate), so whether the "
            + "subscription has ended is not known."
    }

    /// For something that this version does not know, without a full stop.
    static func notUnderstood(_ value: UnknownValue, of transaction: Transaction?) -> String {
        let name = transaction?.transactionId.map { " \($0)" } ?? ""
        let of = transaction.map { " of \($0.productId)" } ?? ""
        switch value {
        case .ownership(let text?):
            return
                "Transaction\(name)\(of) has the inAppOwnershipType \"\(text.prefix(64))\", which is not known here, "
                + "so whether the customer bought it is not known"
        case .ownership(nil):
            return "Transaction\(name)\(of) does not say whose purchase it is (inAppOwnershipType)"
        case .revocation(let text):
            return "Transaction\(name)\(of) was revoked for a reason that is not known here (\(text.prefix(64)))"
        case .status: return "Apple's status of the subscription is none that is known here"
        case .bundle:
            return
                "A transaction of another type runs in place of the subscription (previousOriginalTransactionId), and "
                + "what it gives the customer is not known"
        case .leftBundle:
            return
                "The subscription came with a bundle and has ended by Apple's word, but the bundle's or its own paid time "
                + "runs, and what the customer has is not known"
        }
    }

    static func age(of reading: GroupReading?, limit: Int64, at now: Timestamp) -> String {
        guard let reading, let date = reading.date else { return none }
        let allowed = limit > 0 ? "\(limit) seconds are the limit" : "there is no limit"
        if reading.isHeld {
            let fix = date.isOlder(thanSeconds: limit, at: now) ? " Send evidence." : ""
            return "The state held of the subscription is of \(date.rfc3339), and the service's clock says "
                + "\(now.rfc3339); \(allowed).\(fix)"
        }
        return "The evidence is of \(date.rfc3339), and the service's clock says \(now.rfc3339); \(allowed)."
    }

    static func status(_ facts: OfferFacts) -> String {
        let place = facts.offer.terms.scope == .app ? "the app" : "group \(facts.group.id)"
        switch facts.reading?.status {
        case .subscriber(let subscription): return "\(subscription.basisPhrase)."
        case .neverSubscribed: return "The customer has had no subscription of \(place)."
        case .noPendingRenewalInfo:
            return "There are purchases in \(place), but no pending_renewal_info entry for it."
        case .groupUnknown: return groupUnknown(of: facts.request.customer.book, in: facts.request.app)
        case .noEvidence, nil: return none
        }
    }
}

/// The findings of the rules about the ledger, in words that a support person can read aloud.
enum LedgerPhrases {
    static func presentations(_ presentations: LedgerAnswer.Presentations, maximum: Int) -> String {
        let days = EvidenceSharing.periodDays
        if presentations.isKnown { return "The evidence was presented for this customer before." }
        switch presentations.others {
        case 0: return "The evidence was presented for no other account within \(days) days; \(maximum) may use it."
        case 1: return "The evidence was presented for another account within \(days) days; \(maximum) may use it."
        case let count:
            return "The evidence was presented for \(count) other accounts within \(days) days; \(maximum) may use it."
        }
    }

    static func signatures(_ count: Int?, limit: SignatureLimit, forms: Int = 1) -> String {
        let days = limit.periodDays == 1 ? "a day" : "\(limit.periodDays) days"
        var allowed = "\(limit.maximumSignaturesPerCustomer) within \(days)"
        if forms > 1 { allowed += ", and \(forms) forms of it were asked for, each of which counts" }
        switch count {
        case nil: return "How often the offer was signed for the customer is counted when it is signed; \(allowed)."
        case 0?: return "The offer was not signed for the customer yet; the limit is \(allowed)."
        case 1?: return "The offer was signed for the customer once; the limit is \(allowed)."
        case let count?: return "The offer was signed for the customer \(count) times; the limit is \(allowed)."
        }
    }
}
