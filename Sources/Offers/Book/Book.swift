/// What Apple said of a customer, or of a subscription.
///
/// It is evidence, an answer of the App Store's, a notification, or what is held. Decisions read nothing else.
package struct Book: Equatable, Sendable {
    /// The evidence's statement about itself; `nil` where nothing but chapters is known.
    package var listing: Listing?
    /// Each subscription once, in no order that counts.
    package var chapters: [Chapter]
    /// Since when all subscriptions of an account are known, one mark at the most for an environment.
    package var marks: [AccountHistoryMark]
    /// Redemptions by subscriptions that count for nothing else.
    var redemptions: [OfferRedemption] = []

    package init(chapters: [Chapter] = [], marks: [AccountHistoryMark] = []) {
        self.chapters = chapters
        self.marks = marks
    }

    /// Begins a book of evidence.
    package init(_ listing: Listing) {
        self.listing = listing
        chapters = []
        marks = []
    }

    package var isEmpty: Bool { chapters.isEmpty && marks.isEmpty }
}

/// A list's app, environment, source, date, and how much of it there is.
package struct Listing: Equatable, Sendable {
    /// `nil` where the evidence does not say.
    package var bundleId: String?
    /// `nil` where the evidence does not say, or names none of Apple's.
    package var environment: AppStoreEnvironment?
    /// Apple's clock when it made the evidence; `nil` where it does not say.
    package var asOf: Timestamp?
    package var coverage: HistoryCoverage
    package var source: Source

    package init(
        bundleId: String?,
        environment: AppStoreEnvironment?,
        asOf: Timestamp?,
        coverage: HistoryCoverage = .complete,
        by source: Source
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.asOf = asOf
        self.coverage = coverage
        self.source = source
    }

    /// Whether it is held state alone, without evidence.
    var isHeld: Bool { source == .memory }

    /// Whether its subscriptions need not be one person's.
    ///
    /// A sender chooses which signed transactions to show, and held state was learnt from many requests. In an answer
    /// of Apple's about a receipt or a transaction all of them are of one Apple Account.
    var isComposed: Bool { coverage == .partial || isHeld }

    /// The date of what has none of its own; what nobody dated is never judged by it.
    fileprivate var date: Timestamp { asOf ?? Timestamp(millisecondsSince1970: 0) }
}

/// How much of a customer's past the evidence shows: whether its omissions are known not to have happened.
package enum HistoryCoverage: Sendable {
    /// Every subscription with every transaction, as a verifyReceipt answer has them.
    case complete
    /// Every subscription, each with its newest transaction alone, as Get All Subscription Statuses has them.
    ///
    /// That a group was never subscribed to can be known; that an introductory offer was never used cannot.
    case newestTransactions
    /// One subscription alone, as the answer about an iOS 6 style transaction receipt has it.
    ///
    /// Nothing can be known of others, nor of the past of that one.
    case oneSubscription
    /// Transactions without any list of subscriptions: nothing shows what renews.
    case withoutEntries
    /// The part that the sender chose to show, as with signed transactions: omissions cannot be seen.
    case partial

    /// Whether a subscription that it does not have is known not to exist.
    var showsEverySubscription: Bool {
        switch self {
        case .complete, .newestTransactions: true
        case .oneSubscription, .withoutEntries, .partial: false
        }
    }

}

// MARK: Writing

extension Book {
    /// Adds what was signed; several copies of a transaction, and several renewals of a subscription, are joined.
    package mutating func add(_ transactions: [Statement<Transaction>], _ renewals: [Statement<RenewalInfo?>] = []) {
        var known: [String: Int] = [:]
        for said in transactions {
            let place = place(of: said.content.originalTransactionId)
            if let before = said.content.previousOriginalTransactionId, before != chapters[place].id {
                chapters[place].linked.insert(before)
            }
            // Of a few each is compared with each, which is the fastest.
            guard transactions.count > 16 else {
                chapters[place].add(said)
                continue
            }
            let name = "\(place) \(said.content.heldKey)"
            if let row = known[name] {
                chapters[place].transactions[row].join(said)
            } else {
                known[name] = chapters[place].transactions.count
                chapters[place].transactions.append(said)
            }
        }
        for said in renewals {
            if let id = said.content?.originalTransactionId { chapters[place(of: id)].add(renewal: said) }
        }
    }

    /// Adds the rows and entries of an answer, whose rows come once each.
    ///
    /// A subscription of its rows without an entry is said to have none.
    package mutating func add(rows: [Transaction], entries: [RenewalInfo]) {
        guard let listing else { return }
        func said(_ entry: RenewalInfo?) -> Statement<RenewalInfo?> {
            Statement(entry, asOf: listing.date, by: listing.source)
        }
        var places: [String: Int] = [:]
        for entry in entries {
            let id = entry.originalTransactionId ?? ""
            if let place = places[id], chapters[place].renewal?.content == entry { continue }
            // Entries without an identifier are subscriptions of their own; so are two of one that contradict each other.
            if !id.isEmpty { places[id] = chapters.count }
            append(id, renewal: said(entry))
        }
        var last: (id: String, place: Int)?
        for row in rows {
            let id = row.originalTransactionId
            if last?.id != id {
                let place = places[id] ?? chapters.count
                if place == chapters.count {
                    places[id] = place
                    append(id)
                }
                last = (id, place)
            }
            if let place = last?.place {
                chapters[place].transactions.append(Statement(row, asOf: listing.date, by: listing.source))
            }
        }
        for place in chapters.indices {
            // Entries that contradict each other have the same rows.
            if let id = chapters[place].id, let other = places[id], other != place {
                chapters[place].transactions = chapters[other].transactions
            }
            if chapters[place].renewal == nil { chapters[place].renewal = said(nil) }
        }
    }

    private mutating func place(of id: String) -> Int {
        if let place = chapters.lastIndex(where: { $0.identity.originalTransactionId == id }) { return place }
        append(id)
        return chapters.count - 1
    }

    private mutating func append(_ id: String, renewal: Statement<RenewalInfo?>? = nil) {
        let identity = SubscriptionIdentity(
            bundleId: bundleId ?? "",
            environment: environment ?? .production,
            originalTransactionId: id
        )
        var chapter = Chapter(identity, renewal: renewal)
        chapter.isEvident = true
        chapters.append(chapter)
    }
}

// MARK: Reading

extension Book {
    package var bundleId: String? { listing?.bundleId }
    package var environment: AppStoreEnvironment? { listing?.environment }
    package var asOf: Timestamp? { listing?.asOf }

    /// Whether an identifier is one of its transactions, of its subscriptions, or of the customer's download of the
    /// app.
    package func names(_ id: String) -> Bool {
        chapters.contains { $0.customerIds.contains(id) }
    }

    /// The other identifiers of a subscription.
    package func otherIds(of id: String) -> [String] {
        chapters.indices.first { chapters[$0].id == id }.map { chapters[$0].linked.sorted() } ?? []
    }

    /// Without what is held and makes nobody eligible: subscriptions that are too old, and transactions that a later answer
    /// does not have; `nil` where there is neither.
    func withoutOlder(than oldest: Timestamp?) -> Book? {
        guard let listing, !listing.isHeld else { return nil }
        var rest: Book?
        for place in chapters.indices.reversed() {
            if chapters[place].isOverAge(since: oldest) {
                rest = rest ?? self
                rest?.chapters.remove(at: place)
            } else if chapters[place].isEvident, listing.coverage.showsEverySubscription {
                for row in chapters[place].transactions.indices.reversed()
                where chapters[place].lacks(row, at: listing.date, listing.coverage) {
                    rest = rest ?? self
                    rest?.chapters[place].transactions.remove(at: row)
                }
            }
        }
        return rest
    }

    /// The group of a transaction's product: by the catalog, else by the evidence.
    static func group(of transaction: Transaction, in app: App) -> String? {
        app.product(transaction.productId)?.group.id ?? transaction.subscriptionGroupIdentifier
    }

    /// The accounts that the evidence names for a group; where the group's purchases name none, those of any purchase.
    ///
    /// With `nil`, for the whole app, those of any purchase. One person may have bought for several accounts of the
    /// app, and each of them is theirs. Evidence that names accounts belongs to these accounts alone: a leaked receipt
    /// must not serve strangers.
    func accountTokens(inGroup groupId: String?, of app: App) -> Set<AppAccountToken> {
        var ofGroup: Set<AppAccountToken> = []
        var ofOthers: Set<AppAccountToken> = []
        // By index: copying a chapter or a transaction takes longer than looking at it.
        for place in chapters.indices {
            for row in chapters[place].transactions.indices {
                guard let token = chapters[place].transactions[row].content.appAccountToken else { continue }
                if groupId == nil || Self.group(of: chapters[place].transactions[row].content, in: app) == groupId {
                    ofGroup.insert(token)
                } else {
                    ofOthers.insert(token)
                }
            }
        }
        return ofGroup.isEmpty ? ofOthers : ofGroup
    }

    /// Without the subscriptions whose purchases name other accounts alone, where they need not be the same person's.
    ///
    /// A purchase of one's own must not make those beside it one's own. `nil` where nothing is left out.
    func leavingOutOthers(than account: Account) -> Book? {
        let isComposed = listing?.isComposed ?? true
        let own = account.storedToken
        func isOthers(_ chapter: Chapter) -> Bool {
            guard isComposed || !chapter.isEvident, chapter.namesAccount else { return false }
            return !chapter.transactions.contains { own != nil && $0.content.appAccountToken == own }
        }
        guard chapters.contains(where: isOthers) else { return nil }
        var rest = self
        rest.chapters.removeAll(where: isOthers)
        return rest
    }

    /// Whether the purchases of a subscription name an account, or, in a history of one Apple Account, any purchase
    /// does.
    func namesAccount(of subscription: Subscription?) -> Bool {
        guard listing?.isComposed == false, subscription?.isEvident != false else {
            return subscription?.namesAccount ?? false
        }
        return chapters.contains { $0.isEvident && $0.namesAccount }
    }
}

extension Chapter {
    /// Whether its purchases name an account.
    var namesAccount: Bool { transactions.contains { $0.content.appAccountToken != nil } }

    /// Whether a transaction is held from before an answer that would have it.
    fileprivate func lacks(_ row: Int, at date: Timestamp, _ coverage: HistoryCoverage) -> Bool {
        guard transactions[row].source == .memory, transactions[row].asOf <= date else { return false }
        return coverage != .newestTransactions
            || !transactions.contains {
                $0.source != .memory && Transaction.isOlder(transactions[row].content, $0.content)
            }
    }

    /// Whether its renewal is known by held state alone, which is older than held state may be, beside evidence.
    func isRenewalOverAge(since oldest: Timestamp?) -> Bool {
        guard let oldest, isEvident, renewal?.source == .memory, let asOf = renewal?.asOf else { return false }
        return asOf < oldest
    }

    /// Whether it is known by held state alone, which is older than held state may be.
    func isOverAge(since oldest: Timestamp?) -> Bool {
        guard let oldest, !isEvident, let asOf else { return false }
        return asOf < oldest
    }
}
