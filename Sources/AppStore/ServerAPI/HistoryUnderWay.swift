import Offers
import Synchronization

/// The part of a customer's history that has been fetched: the statuses, and the history up to some page.
struct HistoryUnderWay: Sendable {
    /// The environment that knows the customer.
    let environment: AppStoreEnvironment
    /// When the statuses were asked for: the date of all of it, however much later the pages come.
    let asOf: Timestamp
    let beginning = ContinuousClock.now
    private(set) var pages = 0
    /// The token of the next page; `nil` for the first.
    private(set) var revision: String?
    private(set) var isWhole = false
    private let bundleId: String?
    private let statedEnvironment: AppStoreEnvironment?
    private let revoked: Set<String>
    private var signed = SignedBook()

    /// Whether the customer ever subscribed.
    var hasSubscriptions: Bool { signed.bundleId != nil }

    /// Whether the period before the newest one has to be known: the newest has not begun, and was revoked, or offers ask
    /// about the running one.
    func lacksRunningPeriod(of app: AppStoreApp) -> Bool {
        let ahead = signed.periods(ahead: asOf)
        return ahead.contains { $0.revocationDate != nil } || app.readsRunningPeriods && !ahead.isEmpty
    }

    init(
        _ statuses: StatusResponse,
        verifiedBy verifier: SignedDataVerifier,
        in environment: AppStoreEnvironment,
        asOf: Timestamp
    ) throws(SignedDataFault) {
        var revoked: Set<String> = []
        for item in statuses.items {
            guard let text = item.signedTransaction else {
                throw SignedDataFault(.payloadMalformed, "A subscription of the answer has no transaction.")
            }
            let transaction = try SignedTransaction(verifier.payload(of: text))
            try signed.add(transaction)
            // A renewal info keeps the status.
            if item.status == 5, item.signedRenewalInfo == nil { revoked.insert(transaction.transactionId) }
            signed.add(status: item.status, of: transaction.transaction.originalTransactionId, asOf: asOf)
            if let renewalInfo = item.signedRenewalInfo {
                signed.add(try SignedRenewalInfo(verifier.payload(of: renewalInfo)))
            }
        }
        self.environment = environment
        self.asOf = asOf
        self.revoked = revoked
        bundleId = statuses.bundleId
        statedEnvironment = statuses.environment
    }

    mutating func add(_ page: HistoryResponse, verifiedBy verifier: SignedDataVerifier) throws(SignedDataFault) {
        for text in page.transactions {
            let transaction = try SignedTransaction(verifier.payload(of: text))
            // Only an auto-renewable subscription makes a subscriber, whatever was asked for.
            if transaction.transaction.kind != .other { try signed.add(transaction) }
        }
        pages += 1
        revision = page.revision
        isWhole = !page.hasMore
    }

    /// The history, for every group: complete after the last page, before it as far as the newest transactions tell.
    func history() throws(SignedDataFault) -> Book {
        var book = signed.book(coverage: isWhole ? .complete : .newestTransactions, asOf: asOf, revoked: revoked)
        if hasSubscriptions, book.bundleId != bundleId || book.environment != statedEnvironment {
            throw SignedDataFault(
                .mixed,
                "The answer's transactions are of another app or environment than the answer."
            )
        }
        book.listing?.bundleId = bundleId
        book.listing?.environment = statedEnvironment
        return book
    }
}

/// The histories that took longer to read than a question may take, for the next question to go on with.
///
/// Bounded: what is forgotten is read from the beginning.
final class HistoriesUnderWay: Sendable {
    /// How many are kept.
    static let capacity = 32
    /// How long one is kept: its date is that of its beginning.
    static let lifetime = Duration.seconds(300)

    private let histories = Mutex<[QuestionKey: HistoryUnderWay]>([:])

    /// Removes and returns what was read of a history; `nil` when it is to be read from the beginning.
    func removeHistory(for key: QuestionKey, at now: ContinuousClock.Instant) -> HistoryUnderWay? {
        histories.withLock { $0.removeValue(forKey: key) }.flatMap { Self.isFresh($0, at: now) ? $0 : nil }
    }

    /// Stores what was read of a history, unless there is no room but that of others of which as much was read.
    func store(_ history: HistoryUnderWay, for key: QuestionKey, at now: ContinuousClock.Instant) {
        histories.withLock { histories in
            histories = histories.filter { Self.isFresh($0.value, at: now) }
            if histories[key] == nil, histories.count >= Self.capacity {
                guard let least = histories.min(by: { $0.value.pages < $1.value.pages }),
                    least.value.pages < history.pages
                else { return }
                histories[least.key] = nil
            }
            histories[key] = history
        }
    }

    private static func isFresh(_ history: HistoryUnderWay, at now: ContinuousClock.Instant) -> Bool {
        history.beginning.duration(to: now) < lifetime
    }
}
