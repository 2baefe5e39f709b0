/// The evidence of a request, read once for each group: the policies of promotional and of introductory offers begin
/// with it.
struct EvidenceExamination: Sendable {
    private(set) var request: RequestFacts
    /// The part of the history that counts: the account's own, or all of it, as an introductory offer counts for an
    /// Apple Account.
    let history: SharedHistory?
    /// By group; the key of the whole app is `nil`.
    private var readings: [String?: HistoryReading] = [:]
    /// The subscriptions of the history; `nil` until a group is looked for, and where the evidence carries no date.
    private(set) var holdings: Holdings?

    init(_ request: RequestFacts, of history: SharedHistory?) {
        self.request = request
        self.history = history
    }

    /// The ledger's counts leave the readings as they are.
    mutating func consider(_ answer: LedgerAnswer) { request = RequestFacts(request, answer: answer) }

    /// The findings for a group, or with `nil` for the whole app; `nil` without evidence.
    mutating func reading(inGroup groupId: String?) -> HistoryReading? {
        guard let whole = request.history, let history else { return nil }
        if let known = readings[groupId] { return known }
        if holdings == nil {
            holdings = history.value.clock(at: request.now).map { Holdings(history.value, of: request.app, at: $0) }
        }
        let reading = HistoryReading(
            whole,
            own: history,
            inGroup: groupId,
            of: request.app,
            at: request.now,
            by: holdings
        )
        readings[groupId] = reading
        return reading
    }
}

/// The evidence of a request, for the rules that both policies begin with.
protocol EvidenceFacts: Sendable, SendableMetatype {
    var request: RequestFacts { get }
    /// The findings for the offer's scope; `nil` when there is no evidence.
    var reading: HistoryReading? { get }
    /// Why the state of the subscription that counts is not known well enough; `nil` where it is, or no rule asks.
    var doubt: StateCertainty? { get }
}

extension EvidenceFacts {
    var app: App { request.app }
    var history: SharedHistory? { request.history }
    var now: Timestamp { request.now }
    var doubt: StateCertainty? { nil }

    /// The age that the deciding evidence may have; 0 for no limit.
    var maximumAgeSeconds: Int64 {
        if request.countsPaidTime, let end = reading?.subscription?.endsAt, end > now { return 0 }
        return reading?.isHeld == true ? request.maximumHeldAgeSeconds : request.maximumEvidenceAgeSeconds
    }
}

struct GroupFacts: EvidenceFacts {
    let request: RequestFacts
    let reading: HistoryReading?
}

/// The rules that both policies begin with; each gives reasons of its own.
extension Rule where Facts: EvidenceFacts {
    static func bundleId(other: Reason, missing: Reason?) -> Rule {
        Rule(
            "bundleId",
            wants: "The evidence is of this app.",
            refusal: { facts in
                guard let bundleId = facts.history?.value.bundleId else { return missing }
                return bundleId == facts.app.bundleId ? nil : other
            },
            saw: { EvidencePhrases.app(of: $0.history?.value, for: $0.app) }
        )
    }

    static func environments(other: Reason, missing: Reason?) -> Rule {
        Rule(
            "environments",
            wants: "The evidence is of an environment that counts for the app.",
            refusal: { facts in
                guard let history = facts.history else { return missing }
                return history.value.environment.map(facts.app.environments.contains) == true ? nil : other
            },
            saw: { EvidencePhrases.environment(of: $0.history?.value, for: $0.app) }
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
