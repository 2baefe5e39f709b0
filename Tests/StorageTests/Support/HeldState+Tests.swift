import LedgerFixtures
import Testing

@testable import Offers
@testable import Storage

let clock = Timestamp(millisecondsSince1970: 1_795_262_400_000)

func digest(_ number: UInt8) -> AccountDigest { AccountDigest([UInt8](repeating: number, count: 16)) }

func identity(_ id: String, _ bundleId: String = "com.example.reader") -> SubscriptionIdentity {
    SubscriptionIdentity(bundleId: bundleId, environment: .production, originalTransactionId: id)
}

/// A subscription with one transaction.
func subscription(
    _ id: String = "1",
    of account: AccountDigest? = digest(1),
    tie: AccountTie = .bought,
    bundleId: String = "com.example.reader",
    transactionId: String = "1",
    offer: RedeemedOffer? = nil,
    refunded: Bool = false,
    bought moment: Timestamp? = nil,
    price: PaidPrice? = nil,
    said seconds: Int64 = 0
) -> Chapter {
    let date = clock.adding(seconds: seconds)
    let transaction = Transaction(
        originalTransactionId: id,
        productId: "monthly",
        subscriptionGroupIdentifier: "1",
        purchaseDate: moment ?? clock.adding(seconds: (Int64(transactionId) ?? 0) * 1000),
        expiresDate: clock.adding(seconds: 90_000),
        revocationDate: refunded ? date : nil,
        revocation: refunded ? Revocation(.prorated, percentage: 50_000) : nil,
        appAccountToken: account?.pseudonym,
        offer: offer,
        transactionId: transactionId,
        price: price,
        storefront: price == nil ? nil : "DEU",
        billingPlan: .monthly(
            BillingPlan.Commitment(billingPeriodNumber: 3, totalBillingPeriods: 12, expiresDate: clock)
        )
    )
    var renewal = RenewalInfo(
        originalTransactionId: id,
        productId: "monthly",
        autoRenewStatus: true,
        gracePeriodExpiresDate: clock,
        offer: .promotional("next"),
        commitmentAutoRenewStatus: false
    )
    renewal.status = SubscriptionStatus(.gracePeriod, asOf: clock)
    renewal.eligibleWinBackOfferIds = ["second", "first"]
    return Chapter(
        identity(id, bundleId),
        transactions: [Statement(transaction, asOf: date, by: .signature)],
        renewal: Statement(renewal, asOf: date, by: .signature),
        accounts: account.map { [$0: tie] } ?? [:]
    )
}

func seen(_ held: Chapter..., mark: AccountHistoryMark? = nil) -> Book {
    Book(chapters: held, marks: mark.map { [$0] } ?? [])
}

extension SQLDatabase {
    /// Adds counted decisions of a day, counted from 1970-01-01 on.
    func add(_ counts: [CountedDecision: Int], on day: Int64) throws(StorageFailure) {
        let batch = StatisticsBatch(counts: counts, day: day)
        try transaction(.beside) { session throws(StorageFailure) in try batch.write(to: session) }
    }
}

extension LedgerStore {
    /// Writes entries alone, in as many transactions as the locks of others want.
    func commit(
        _ entries: [LedgerEntry],
        while isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws(StorageFailure) -> [[GrantOutcome]] {
        func attempt(_ entries: [LedgerEntry]) throws(StorageFailure) -> [[GrantOutcome]?] {
            while true {
                do throws(StorageFailure) {
                    return try commit(entries, beside: CompanionWork(), while: isWanted).outcomes
                } catch {
                    guard error.code == .abandoned, isWanted() else { throw error }
                }
            }
        }
        var outcomes = try attempt(entries)
        for place in outcomes.indices {
            while outcomes[place] == nil { outcomes[place] = try attempt([entries[place]])[0] }
        }
        return outcomes.compactMap(\.self)
    }
}

extension StateStore {
    /// Writes what evidence shows.
    func learn(_ observations: Book...) throws(StorageFailure) {
        _ = try commit(observations.map { StateWork(notification: nil, observation: $0) })
    }

    /// Writes works in a transaction of their own, and gives for each whether it was new.
    func commit(_ works: [StateWork]) throws(StorageFailure) -> [Bool] {
        let merge = merge(of: works, mayRedeem: true)
        let locks = merge.locks.reduce(into: Set()) { $0.formUnion($1) }
        return try database.transaction(.repeatable, locking: locks) { session throws(StorageFailure) in
            try merge.run(session, try session.run(merge.questions)[...], leavingOut: []).compactMap(\.self)
        }
    }
}

/// That all subscriptions of an account were known so many seconds after the start.
func allKnown(_ account: UInt8 = 1, _ seconds: Int64 = 0) -> AccountHistoryMark {
    AccountHistoryMark(
        account: digest(account),
        bundleId: "com.example.reader",
        environment: .production,
        asOf: clock.adding(seconds: seconds)
    )
}

func notification(_ id: String) -> NotificationRecord {
    let notification = AppleNotification(
        id: id,
        type: "REFUND",
        subtype: nil,
        bundleId: "com.example.reader",
        environment: .production,
        signedDate: clock,
        book: nil
    )
    return NotificationRecord(notification, receivedAt: clock)
}

func question(_ account: UInt8?, _ ids: String..., bundleId: String = "com.example.reader") -> StateQuestion {
    StateQuestion(bundleId: bundleId, account: account.map(digest), subscriptions: ids.map { identity($0, bundleId) })
}

extension StateStore {
    init(_ database: any SQLDatabase, digestKey: DigestKey) {
        self.init(database, digestKey: digestKey) { Timestamp(millisecondsSince1970: 1_795_000_000_000) }
    }
}

/// The customer of a digest.
func customer(_ number: UInt8) -> StoredCustomer {
    StoredCustomer(
        bundleId: "com.example.reader",
        customer: digest(number),
        account: digest(number),
        originalTransactionId: nil,
        digestKey: testDigestKey
    )
}

/// The customer of a name, or of a UUID.
func stored(_ name: String, of bundleId: String = "com.example.reader") throws -> StoredCustomer {
    let app = App(bundleId: bundleId, subscriptionGroups: [])
    return try #require(StoredCustomer(.applicationUsername(name), of: app, by: testDigestKey))
}
