// The sentences of a decision's detail, in words that a support person can read aloud.

extension SubscriberState {
    /// The reason with which a customer in this state is eligible; `nil` for states that no offer is for.
    var eligibleReason: Reason? {
        switch self {
        case .active: .active
        case .activeAutoRenewOff: .activeAutoRenewOff
        case .gracePeriod: .gracePeriod
        case .billingRetry: .billingRetry
        case .lapsed: .lapsed
        case .refunded, .familyShared: nil
        }
    }

    /// Customers in this state, as in "the offer is for …".
    var people: String {
        switch self {
        case .active: "active subscribers"
        case .activeAutoRenewOff: "active subscribers with auto-renew off"
        case .gracePeriod: "subscribers in the grace period"
        case .billingRetry: "subscribers in billing retry"
        case .lapsed: "lapsed subscribers"
        case .refunded: "customers with a refund"
        case .familyShared: "family members"
        }
    }
}

extension PromotionalOffer {
    /// Puts into words whom an offer is for, as in "the offer is for …".
    ///
    /// - Parameter audience: Whom it is for.
    /// - Returns: The words.
    static func phrase(of audience: Set<SubscriberState>) -> String {
        let states = SubscriberState.audience.filter(audience.contains)
        return states.count == SubscriberState.audience.count
            ? "every current or former subscriber" : states.map(\.people).enumeration
    }
}

extension Subscription {
    /// What the evidence shows of the subscription, without a full stop.
    var phrase: String { phrase(as: state) }

    /// What the evidence shows of the subscription in one state, without a full stop.
    ///
    /// - Parameter state: Its state, or what that is where shared purchases count.
    /// - Returns: The words.
    func phrase(as state: SubscriberState) -> String {
        let expiry = transaction?.expiresDate?.day
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
        case .gracePeriod:
            let end = renewal.gracePeriodExpiresDate.map { " until \($0.day)" } ?? ""
            return "The renewal failed, and the grace period lasts\(end)"
        case .billingRetry: return "The renewal failed, and Apple is retrying it"
        case .lapsed: return expiry.map { "The subscription expired \($0)" } ?? "The subscription has ended"
        case .refunded:
            let day = transaction?.revocationDate.map { " on \($0.day)" } ?? ""
            return "The newest purchase was \(transaction?.revocation?.phrase ?? "refunded or revoked")\(day)"
        case .familyShared:
            guard transaction?.revocation?.kind == .family else {
                return "The subscription is shared by a family member"
            }
            let day = transaction?.revocationDate.map { " on \($0.day)" } ?? ""
            return "Family Sharing of the subscription ended\(day), and nobody was refunded"
        }
    }

    /// How far a commitment has come, as words to put behind others; `nil` without one.
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
    /// What was done, as in "the newest purchase was …".
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
        }
    }
}

extension Subscription {
    /// The entry and the transaction that the state rests on, without a full stop.
    var basisPhrase: String {
        let id = renewal.originalTransactionId.map { " \($0)" } ?? ""
        // An entry that nobody told is named by what was bought last.
        let product = (renewal.isStandIn ? productId : renewal.productId).map { " of \($0)" } ?? ""
        let renews = renewal.autoRenewStatus.map { $0 ? ", auto-renew on" : ", auto-renew off" } ?? ""
        let entry = "Subscription\(id)\(product)\(renews)"
        guard let transaction else { return "\(entry); the evidence has no transaction of it that counts. \(phrase)" }
        let name = transaction.transactionId.map { " \($0)" } ?? ""
        let bought = transaction.purchaseDate.map { ", bought \($0.rfc3339)" } ?? ""
        let expires = transaction.expiresDate.map { ", paid until \($0.rfc3339)" } ?? ""
        let plan = commitmentPhrase.map { ", paid month by month\($0)" } ?? ""
        let apples = renewal.status.map { ". Apple's status is \($0.code.rawValue) (\($0.code.words))" } ?? ""
        return
            "\(entry); its newest transaction that counts is\(name) of \(transaction.productId)\(bought)\(expires)\(plan)"
            + "\(apples). \(phrase)"
    }
}

extension App {
    /// Which environments count, as in "… for the app".
    var environmentsPhrase: String {
        let names = AppStoreEnvironment.allCases.filter(environments.contains).map(\.rawValue)
        return "only \(names.enumeration) \(names.count == 1 ? "counts" : "count")"
    }
}

extension SubscriptionStatus.Code {
    /// What Apple calls it.
    fileprivate var words: String {
        switch self {
        case .active: "active"
        case .expired: "expired"
        case .billingRetry: "billing retry"
        case .gracePeriod: "grace period"
        case .revoked: "revoked"
        }
    }
}
