import Offers

/// Entries that are written in one transaction: what has to be known before, and what is decided then.
///
/// Deciding is pure. The transaction holds the ``locks`` from before it counts until it has committed, so that what was
/// counted stays true, whatever other services write at the same time.
struct LedgerBatch: Sendable {
    /// A grant with what it is counted by.
    fileprivate struct CountedGrant {
        let grant: OfferGrant
        let customer: [UInt8]
        /// Whether the request names nobody: it is no presentation, but is refused where customers were.
        let isAnonymous: Bool
        /// The subscription whose presentations are limited; `nil` when they are not.
        let subscription: PresentedSubscription?
        let others: [PresentedSubscription]
        /// Other identities by which signatures count: the subscription, as before the account was known, and under its
        /// other identifiers.
        let alsoCounted: [[UInt8]]
    }

    /// A count for a signature limit.
    struct SignatureCount: Hashable {
        let customer: [UInt8]
        let offer: OfferRequest
        /// The subscription whose redemptions count where their signatures are not in the ledger; `nil` for none.
        var redeemed: PresentedSubscription?
        /// The moment after which signatures count, in milliseconds since 1970.
        let start: Int64
    }

    private struct CustomerOffer: Hashable {
        let customer: [UInt8]
        let offer: OfferRequest
    }

    /// Stands among the customers of a subscription for those who were refused: nobody's digest is all zeros.
    private static let refused = [UInt8](repeating: 0, count: 16)

    /// A subscription to look up, and the moment after which presentations count.
    struct Presentations: Hashable {
        let subscription: PresentedSubscription
        let start: Int64
    }

    /// The customers who presented a subscription, and when last, in milliseconds since 1970.
    typealias Presented = [[UInt8]: Int64]

    /// The rows to write, and the outcomes for the callers when they are written.
    struct Decision: Sendable {
        /// `nil` for an entry that was left out.
        var outcomes: [[GrantOutcome]?] = []
        var records: [LedgerRecord] = []
        var presentations: [PresentedSubscription: Presented] = [:]
        var answers: [AskedCall.Row] = []
    }

    /// How old a note of a presentation has to be before it is written again: in a period of days, an hour makes no
    /// difference.
    private static let hour: Int64 = 3_600_000

    private let entries: [(entry: LedgerEntry, grants: [CountedGrant])]
    /// The signatures to count, each once.
    let counts: [SignatureCount]
    /// The subscriptions to look up, each once.
    let subscriptions: [Presentations]
    var calls: [AskedCall] { Array(callsByEntry.values) }
    /// The calls that are answered once, by the places of their entries.
    private let callsByEntry: [Int: AskedCall]

    /// Finds out what has to be known.
    init(_ entries: [LedgerEntry], digestKey: DigestKey) {
        var counts: Set<SignatureCount> = []
        var starts: [PresentedSubscription: Int64] = [:]
        self.entries = entries.map { entry in
            let account = entry.customer.map { digestKey.accountDigest($0, bundleId: entry.bundleId) }
            let grants = entry.grants.map { grant in
                let customer =
                    account
                    ?? digestKey.digest(
                        customer: nil,
                        originalTransactionId: grant.originalTransactionId,
                        bundleId: entry.bundleId
                    )
                let counted = CountedGrant(grant, of: entry, customer: customer, digestKey)
                if let limit = grant.signatureLimit {
                    for count in Self.counts(counted, limit, of: entry) { counts.insert(count) }
                }
                if let subscription = counted.subscription {
                    let start = EvidenceSharing.start(at: entry.time).millisecondsSince1970
                    for one in [subscription] + counted.others { starts[one] = min(starts[one] ?? start, start) }
                }
                return counted
            }
            return (entry, grants)
        }
        var calls: [Int: AskedCall] = [:]
        for (place, entry) in entries.enumerated() {
            guard let answer = entry.answer else { continue }
            calls[place] = AskedCall(answer.call, at: entry.time, digestKey: digestKey)
        }
        callsByEntry = calls
        self.counts = Array(counts)
        subscriptions = starts.map { Presentations(subscription: $0.key, start: $0.value) }
    }

    /// The rows of ``LockRows`` for all that is counted.
    var locks: Set<Int64> {
        var rows = Set(counts.map { LockRows.row(of: $0.customer) })
        rows.formUnion(subscriptions.map { LockRows.row(of: $0.subscription.bytes) })
        rows.formUnion(callsByEntry.values.map { LockRows.row(of: $0.place.bytes) })
        return rows
    }

    /// The places of entries that need one of these rows.
    func places(needing rows: Set<Int64>, digestKey: DigestKey) -> Set<Int> {
        guard !rows.isEmpty else { return [] }
        let needing = entries.indices.filter {
            !LedgerBatch([entries[$0].entry], digestKey: digestKey).locks.isDisjoint(with: rows)
        }
        return Set(needing)
    }

    /// Decides grant by grant, in order: each counts what those before it in the batch have added.
    func decide(
        by counts: LedgerCounts,
        with work: inout ChainWriter,
        leavingOut aside: Set<Int> = []
    ) throws(StorageFailure) -> Decision {
        var presented = counts.presentations
        var answers = counts.answers
        var added: [CustomerOffer: Int] = [:]
        var decision = Decision()
        decision.records.reserveCapacity(entries.reduce(0) { $0 + $1.grants.count })
        for (place, (entry, grants)) in entries.enumerated() {
            guard !aside.contains(place) else {
                decision.outcomes.append(nil)
                continue
            }
            let asked = callsByEntry.isEmpty ? nil : callsByEntry[place]
            if let asked, let known = answers[asked.place] {
                decision.outcomes.append([asked.outcome(of: known)])
                continue
            }
            // The subscription that the last grant was recorded for: the customer is among those who presented it.
            var recorded: PresentedSubscription?
            let outcomes = grants.map { counted -> GrantOutcome in
                let grant = counted.grant
                let subscription = counted.subscription == recorded ? nil : counted.subscription
                if let subscription, let maximum = grant.maximumAccounts {
                    let presentations = Self.presentations(
                        counted.others.reduce(into: presented[subscription] ?? [:]) { all, other in
                            all.merge(presented[other] ?? [:]) { max($0, $1) }
                        },
                        counted.isAnonymous ? nil : counted.customer,
                        at: entry.time
                    )
                    if let presentations, !presentations.allows(maximum) {
                        if !counted.isAnonymous {
                            Self.markSeen(by: Self.refused, of: subscription, at: entry.time, in: &presented, &decision)
                        }
                        return .evidenceShared(others: presentations.others)
                    }
                }
                if let limit = grant.signatureLimit {
                    // Within a batch the start of the period plays no part: what was just added is young.
                    let count = Self.counts(counted, limit, of: entry).reduce(0) { sum, asked in
                        sum + (counts.signatures[asked] ?? 0)
                            + (added[CustomerOffer(customer: asked.customer, offer: grant.offer)] ?? 0)
                    }
                    guard count + grant.signatures.count <= limit.maximumSignaturesPerCustomer else {
                        return .signatureLimit(count: count)
                    }
                }
                if !counts.signatures.isEmpty {
                    let key = CustomerOffer(customer: counted.customer, offer: grant.offer)
                    added[key, default: 0] += grant.signatures.count
                }
                work.add(grant, in: entry, customer: counted.customer, to: &decision.records)
                if let subscription, !counted.isAnonymous {
                    Self.markSeen(by: counted.customer, of: subscription, at: entry.time, in: &presented, &decision)
                    recorded = subscription
                }
                return .recorded
            }
            decision.outcomes.append(outcomes)
            // Refusals alone are decided anew the next time.
            if let asked, let answer = entry.answer, grants.isEmpty || outcomes.contains(.recorded) {
                let body = answer.body(outcomes)
                let customer = grants.first?.customer ?? entry.knownAccount?.bytes
                answers[asked.place] = asked.known(body)
                decision.answers.append(try asked.row(body, to: customer, at: entry.time))
            }
        }
        return decision
    }

    /// Marks a subscription as presented by a customer, if it was not within the hour.
    private static func markSeen(
        by customer: [UInt8],
        of subscription: PresentedSubscription,
        at now: Timestamp,
        in presented: inout [PresentedSubscription: Presented],
        _ decision: inout Decision
    ) {
        let time = now.millisecondsSince1970
        let last = presented[subscription]?[customer]
        presented[subscription, default: [:]][customer] = time
        guard last.map({ time - $0 > hour }) ?? true else { return }
        decision.presentations[subscription, default: [:]][customer] = time
    }

    /// Counts the other customers who presented a subscription, by the digest of this one; `nil` where the request
    /// names nobody.
    ///
    /// The counts are `nil` where they do not matter, as nobody is named and no customer was refused.
    static func presentations(
        _ presented: Presented,
        _ customer: [UInt8]?,
        at now: Timestamp
    ) -> LedgerAnswer.Presentations? {
        let start = EvidenceSharing.start(at: now).millisecondsSince1970
        var (others, isKnown, wasRefused) = (0, false, false)
        // They are few: to compare them takes less than to hash one.
        for (digest, time) in presented where time > start {
            if digest == refused {
                wasRefused = true
            } else if digest == customer {
                isKnown = true
            } else {
                others += 1
            }
        }
        guard customer != nil || wasRefused else { return nil }
        return LedgerAnswer.Presentations(others: others, isKnown: isKnown)
    }

    private static func counts(
        _ counted: CountedGrant,
        _ limit: SignatureLimit,
        of entry: LedgerEntry
    ) -> [SignatureCount] {
        SignatureCount.all(
            customer: counted.customer,
            beside: counted.alsoCounted,
            offer: counted.grant.offer,
            redeemed: entry.subscriptions(of: counted.grant),
            start: limit.start(at: entry.time).millisecondsSince1970
        )
    }
}

extension LedgerBatch.SignatureCount {
    /// The counts of a customer who may be known by several digests, and of the redemptions of a subscription under all of
    /// its identifiers.
    static func all(
        customer: [UInt8],
        beside others: [[UInt8]],
        offer: OfferRequest,
        redeemed: [PresentedSubscription],
        start: Int64
    ) -> [Self] {
        [Self(customer: customer, offer: offer, redeemed: redeemed.first, start: start)]
            + others.map { Self(customer: $0, offer: offer, redeemed: nil, start: start) }
            // Nobody's digest is empty: these count redemptions alone.
            + redeemed.dropFirst().map { Self(customer: [], offer: offer, redeemed: $0, start: start) }
    }
}

extension LedgerBatch.CountedGrant {
    fileprivate init(_ grant: OfferGrant, of entry: LedgerEntry, customer: [UInt8], _ digestKey: DigestKey) {
        self.grant = grant
        self.customer = entry.knownAccount?.bytes ?? customer
        let others = grant.otherIds.map {
            digestKey.digest(customer: nil, originalTransactionId: $0, bundleId: entry.bundleId)
        }
        alsoCounted = (entry.knownAccount == nil ? [] : [customer]) + (entry.customer == nil ? others : [])
        isAnonymous = entry.customer == nil
        let subscriptions = grant.maximumAccounts == nil ? [] : entry.subscriptions(of: grant)
        subscription = subscriptions.first
        self.others = Array(subscriptions.dropFirst())
    }
}

extension PresentedSubscription {
    fileprivate var bytes: [UInt8] { CanonicalBytes("offer-signer ledger subscription 1", values).bytes }
}
