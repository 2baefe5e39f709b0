/// The evidence of a request, read once for each group: the policies of promotional and of introductory offers begin
/// with it.
struct EvidenceExamination: Sendable {
    private(set) var request: RequestFacts
    /// The part of the book that counts: the account's own, or all of it, as an introductory offer counts for an Apple
    /// Account.
    let book: Book?
    /// By group; the key of the whole app is `nil`.
    private var readings: [String?: GroupReading] = [:]
    /// `nil` until a group is looked for, and where the evidence carries no date.
    private(set) var subscriptions: Subscriptions?

    init(_ request: RequestFacts, of book: Book?) {
        self.request = request
        self.book = book
    }

    /// The ledger's counts leave the readings as they are.
    mutating func consider(_ answer: LedgerAnswer) { request = request.with(answer: answer) }

    /// The findings for a group, or with `nil` for the whole app; `nil` without evidence.
    mutating func reading(inGroup groupId: String?) -> GroupReading? {
        guard let whole = request.book, let book else { return nil }
        if let known = readings[groupId] { return known }
        if subscriptions == nil, book.asOf != nil {
            subscriptions = Subscriptions(book, of: request.app, at: request.now, oldest: request.oldestHeld)
        }
        let reading = GroupReading(whole, own: book, inGroup: groupId, of: request.app, by: subscriptions)
        readings[groupId] = reading
        return reading
    }
}

/// The findings in the evidence for one group, or for the whole app: looked for once in a request.
final class GroupReading: Sendable {
    /// `nil` when the evidence carries no date to judge it at.
    let status: GroupStatus?
    /// The subscription that counts.
    let subscription: Subscription?
    /// The other subscriptions whose state gives access, though not all may be known to run.
    let alsoRunning: [Subscription]
    let ended: EndedSubscriptions
    let accounts: Set<AppAccountToken>
    /// Whether the purchases of the subscription that counts name an account, or, in evidence of one Apple Account, any
    /// do.
    let namesAccount: Bool
    /// The date by which its age is judged: of the transaction and renewal info that count, where they have their own.
    let date: Timestamp?
    /// Whether the subscription is known by held state alone, and so may be as old as held state.
    let isHeld: Bool
    /// A purchase there that is no subscription, where there is no subscription.
    let otherPurchase: Transaction?

    /// Takes the whole book with the part `own` that can be the account's, and the subscriptions of that part.
    init(_ whole: Book, own: Book, inGroup groupId: String?, of app: App, by subscriptions: Subscriptions?) {
        let found = subscriptions?.strongest(inGroup: groupId)
        accounts = whole.accountTokens(inGroup: groupId, of: app)
        status = found?.status
        alsoRunning = found?.alsoRunning ?? []
        ended = found?.ended ?? EndedSubscriptions()
        var counting: Subscription?
        if case .subscriber(let subscription) = found?.status { counting = subscription }
        subscription = counting
        otherPurchase = status == .noEvidence ? subscriptions?.otherPurchase(inGroup: groupId) : nil
        isHeld = own.listing?.isHeld == true || counting?.isEvident == false
        if isHeld {
            date = counting?.said?.last ?? own.asOf
        } else if own.listing?.coverage == .partial {
            date = counting?.said?.first ?? own.asOf
        } else {
            date = own.asOf.map { asOf in counting?.asOf.map { max(asOf, $0) } ?? asOf }
        }
        let isWhole = own.listing?.isComposed == false && own.chapters.indices.allSatisfy { own.chapters[$0].isEvident }
        namesAccount = isWhole ? !accounts.isEmpty : own.namesAccount(of: counting)
    }
}

/// The evidence of a request, for the rules that both policies begin with.
protocol EvidenceFacts: Sendable, SendableMetatype {
    var request: RequestFacts { get }
    /// The findings for the offer's scope; `nil` when there is no evidence.
    var reading: GroupReading? { get }
    /// Why the state of the subscription that counts is not known well enough; `nil` where it is, or no rule asks.
    var doubt: StateCertainty? { get }
}

extension EvidenceFacts {
    var app: App { request.app }
    var book: Book? { request.book }
    var now: Timestamp { request.now }
    var doubt: StateCertainty? { nil }

    /// The age that the deciding evidence may have; 0 for no limit.
    var maximumAgeSeconds: Int64 {
        guard reading?.isHeld == true else { return request.maximumEvidenceAgeSeconds }
        switch request.heldAge {
        case .limited(let seconds): return seconds
        case .whilePaid(let seconds): return reading?.subscription?.endsAt.map { $0 > now } ?? false ? 0 : seconds
        case .any: return 0
        }
    }
}

struct GroupFacts: EvidenceFacts {
    let request: RequestFacts
    let reading: GroupReading?
}

/// The rules that both policies begin with; each gives reasons of its own.
extension Rule where Facts: EvidenceFacts {
    static func bundleId(other: Reason, missing: Reason?) -> Rule {
        Rule(
            "bundleId",
            wants: "The evidence is of this app.",
            refusal: { facts in
                guard let bundleId = facts.book?.bundleId else { return missing }
                return bundleId.hasSameBytes(as: facts.app.bundleId) ? nil : other
            },
            saw: { EvidencePhrases.app(of: $0.book, for: $0.app) }
        )
    }

    static func environments(other: Reason, missing: Reason?) -> Rule {
        Rule(
            "environments",
            wants: "The evidence is of an environment that counts for the app.",
            refusal: { facts in
                guard let book = facts.book else { return missing }
                return book.environment.map(facts.request.environments.contains) == true ? nil : other
            },
            saw: { EvidencePhrases.environment(of: $0.book, in: $0.request) }
        )
    }

    static func account(other: Reason) -> Rule {
        Rule(
            "account",
            wants: "The account is the one inside the evidence, where that names one.",
            refusal: { facts in
                guard let accounts = facts.reading?.accounts, !accounts.isEmpty else { return nil }
                return facts.request.account.storedToken.map(accounts.contains) == true ? nil : other
            },
            saw: { EvidencePhrases.account($0.request.account, in: $0.reading) }
        )
    }

    static func evidenceAge(stale: Reason) -> Rule {
        Rule(
            "evidenceAge",
            wants: "The evidence is fresh enough.",
            refusal: { facts in
                if case .wasToRenew = facts.doubt { return stale }
                let date = facts.reading?.date
                return date?.isOlder(thanSeconds: facts.maximumAgeSeconds, at: facts.now) == true ? stale : nil
            },
            saw: { facts in
                if case .wasToRenew(let date) = facts.doubt {
                    return EvidencePhrases.unknownRenewal(of: facts.reading?.subscription, after: date)
                }
                return EvidencePhrases.age(of: facts.reading, limit: facts.maximumAgeSeconds, at: facts.now)
            }
        )
    }
}

extension Timestamp {
    /// Whether evidence of this date is older than a limit; 0 for none.
    func isOlder(thanSeconds limit: Int64, at now: Timestamp) -> Bool { limit > 0 && adding(seconds: limit) < now }
}
