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
        /// The subscription whose presentations are limited; `nil` when they are not.
        let subscription: PresentedSubscription?
    }

    /// What is counted for a signature limit.
    struct SignatureCount: Hashable {
        let customer: [UInt8]
        let offer: OfferRequest
        /// The subscription whose redemptions count where their signatures are not in the ledger; `nil` for none.
        var redeemed: PresentedSubscription?
        /// The moment after which signatures count, in milliseconds since 1970.
        let start: Int64
    }

    /// A subscription to look up, and the moment after which presentations count.
    struct Presentations: Hashable {
        let subscription: PresentedSubscription
        let start: Int64
    }

    /// Whom a subscription was presented for, and when last, in milliseconds since 1970.
    typealias Presented = [[UInt8]: Int64]

    /// What is to be written, and what the callers hear when it is.
    struct Decision: Sendable {
        var outcomes: [[GrantOutcome]] = []
        var records: [LedgerRecord] = []
        var presentations: [PresentedSubscription: Presented] = [:]
    }

    /// How old a note of a presentation has to be before it is written again: in a period of days, an hour makes no
    /// difference.
    private static let hour: Int64 = 3_600_000

    private let entries: [(entry: LedgerEntry, grants: [CountedGrant])]
    /// The keys of the locks.
    let locks: Set<Int64>
    /// The signatures to count, each once.
    let counts: [SignatureCount]
    /// The subscriptions to look up, each once.
    let subscriptions: [Presentations]

    /// Finds out what has to be known.
    init(_ entries: [LedgerEntry], digestKey: DigestKey) {
        var locks: Set<Int64> = []
        var counts: Set<SignatureCount> = []
        var starts: [PresentedSubscription: Int64] = [:]
        self.entries = entries.map { entry in
            let grants = entry.grants.map { grant in
                let counted = CountedGrant(grant, of: entry, digestKey: digestKey)
                if let limit = grant.signatureLimit {
                    counts.insert(Self.count(counted, limit, of: entry))
                    locks.insert(AdvisoryLocks.key(counted.customer))
                }
                if let subscription = counted.subscription {
                    let start = EvidenceSharing.start(at: entry.time).millisecondsSince1970
                    starts[subscription] = min(starts[subscription] ?? start, start)
                    locks.insert(AdvisoryLocks.key(subscription.bytes))
                }
                return counted
            }
            return (entry, grants)
        }
        self.locks = locks
        self.counts = Array(counts)
        subscriptions = starts.map { Presentations(subscription: $0.key, start: $0.value) }
    }

    /// Decides grant by grant, in order: each counts what those before it in the batch have added.
    func decide(by counts: LedgerCounts, with work: inout LedgerWork) -> Decision {
        var presented = counts.presentations
        var added: [SignatureCount: Int] = [:]
        var decision = Decision()
        for (entry, grants) in entries {
            let outcomes = grants.map { counted -> GrantOutcome in
                let grant = counted.grant
                if let subscription = counted.subscription, let maximum = grant.maximumAccounts {
                    let presentations = Self.presentations(
                        presented[subscription] ?? [:],
                        counted.customer,
                        at: entry.time
                    )
                    guard presentations.allows(maximum) else { return .evidenceShared(others: presentations.others) }
                }
                if let limit = grant.signatureLimit {
                    // Within a batch the start of the period plays no part: what was just added is young.
                    let key = SignatureCount(customer: counted.customer, offer: grant.offer, redeemed: nil, start: 0)
                    let held = counts.signatures[Self.count(counted, limit, of: entry)] ?? 0
                    let count = held + (added[key] ?? 0)
                    guard count + grant.signatures.count <= limit.maximumSignaturesPerCustomer else {
                        return .signatureLimit(count: count)
                    }
                }
                if !counts.signatures.isEmpty {
                    let key = SignatureCount(customer: counted.customer, offer: grant.offer, redeemed: nil, start: 0)
                    added[key, default: 0] += grant.signatures.count
                }
                decision.records += work.records(of: grant, in: entry, customer: counted.customer)
                if let subscription = counted.subscription {
                    let time = entry.time.millisecondsSince1970
                    let last = presented[subscription]?[counted.customer]
                    presented[subscription, default: [:]][counted.customer] = time
                    if last.map({ time - $0 > Self.hour }) ?? true {
                        decision.presentations[subscription, default: [:]][counted.customer] = time
                    }
                }
                return .recorded
            }
            decision.outcomes.append(outcomes)
        }
        return decision
    }

    /// Counts whom a subscription was presented for, seen from a customer.
    ///
    /// - Parameters:
    ///   - presented: Whom it was presented for, and when last.
    ///   - customer: The customer's digest.
    ///   - now: The server's clock.
    /// - Returns: The counts.
    static func presentations(
        _ presented: Presented,
        _ customer: [UInt8],
        at now: Timestamp
    ) -> LedgerAnswer.Presentations {
        let start = EvidenceSharing.start(at: now).millisecondsSince1970
        let customers = presented.filter { $0.value > start }
        let isKnown = customers[customer] != nil
        return LedgerAnswer.Presentations(others: customers.count - (isKnown ? 1 : 0), isKnown: isKnown)
    }

    private static func count(
        _ counted: CountedGrant,
        _ limit: SignatureLimit,
        of entry: LedgerEntry
    ) -> SignatureCount {
        SignatureCount(
            customer: counted.customer,
            offer: counted.grant.offer,
            redeemed: entry.subscription(of: counted.grant),
            start: limit.start(at: entry.time).millisecondsSince1970
        )
    }
}

extension LedgerBatch.CountedGrant {
    fileprivate init(_ grant: OfferGrant, of entry: LedgerEntry, digestKey: DigestKey) {
        self.grant = grant
        customer = digestKey.digest(
            customer: entry.customer,
            originalTransactionId: grant.originalTransactionId,
            bundleId: entry.bundleId
        )
        let counts = grant.maximumAccounts != nil && entry.customer != nil
        subscription = counts ? entry.subscription(of: grant) : nil
    }
}

extension PresentedSubscription {
    fileprivate var bytes: [UInt8] {
        var bytes = CanonicalBytes("offer-signer ledger subscription 1")
        bytes.append(bundleId)
        bytes.append(environment)
        bytes.append(originalTransactionId)
        return bytes.bytes
    }
}
