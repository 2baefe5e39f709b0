/// The status of a customer in one subscription group.
package enum GroupStatus: Equatable, Sendable {
    /// There is an entry of `pending_renewal_info` for the group; of several the one with the strongest state.
    case subscriber(Subscription)
    /// The group has transactions, but no entry.
    case noPendingRenewalInfo
    /// The evidence has neither entry nor transaction of the group.
    case neverSubscribed
    /// No entry or purchase is known to be of this group, and the group of one cannot be determined.
    case groupUnknown
    /// The lack of an entry proves nothing: the evidence has no list of entries, or is its sender's choice.
    case noEvidence
}

/// A customer's subscriptions: each entry of `pending_renewal_info` with its rows, and each original transaction
/// identifier of whose rows no entry speaks.
///
/// A row belongs to the entry with its original transaction identifier, whatever its product. A row of another
/// identifier belongs to the only entry without any row that names its product, if no other identifier asks for it;
/// else it is a subscription of its own, of which it is not known whether it renews.
package struct Subscriptions: Sendable {
    let all: [Subscription]
    /// Purchases that are no subscriptions, by the groups of their products.
    private let others: [(group: String?, transaction: Transaction)]
    private let coverage: HistoryCoverage

    /// Takes the server's clock; held state beside evidence that was said before `oldest` can only refuse.
    package init(_ book: Book, of app: App, at now: Timestamp, oldest: Timestamp? = nil) {
        let chapters = book.chapters.joiningRowsWithoutEntry(at: book.asOf)
        var named: NamedGroups?
        let isHeld = book.listing?.isHeld ?? true
        let date = book.listing.flatMap { $0.isComposed ? nil : $0.asOf }
        // By index: copying a chapter or a transaction takes longer than looking at it.
        all = chapters.indices.map { place in
            let group = chapters[place].group(in: app, oldest: isHeld ? nil : oldest) {
                let groups = named ?? NamedGroups(chapters, of: app)
                named = groups
                return groups
            }
            return Subscription(
                chapters[place],
                inGroup: group,
                listed: chapters[place].isEvident ? date : nil,
                now: now,
                oldest: isHeld ? nil : oldest
            ) { bundle in
                chapters.contains { chapter in
                    chapter.transactions.contains {
                        bundle.isNamed(by: $0.content) && $0.content.runs(at: now)
                    }
                }
            }
        }
        others = chapters.indices.flatMap { place in
            chapters[place].transactions.indices.filter {
                chapters[place].transactions[$0].content.kind != .subscription
            }.map { row in
                let other = chapters[place].transactions[row].content
                return (Book.group(of: other, in: app), other)
            }
        }
        coverage = book.listing?.coverage ?? .partial
    }

    /// The status in a group, or with `nil` in the whole app.
    ///
    /// In the whole app every entry counts, and every subscription that was bought, also one whose group cannot be
    /// determined.
    package func status(inGroup groupId: String?) -> GroupStatus { strongest(inGroup: groupId).status }

    /// The status with the subscriptions that run beside the one that counts.
    func strongest(inGroup groupId: String?) -> StrongestSubscription {
        let hasEntries = coverage != .withoutEntries || all.contains { !$0.hasNoEntry && !$0.renewal.isStandIn }
        guard hasEntries else { return StrongestSubscription(status: .noEvidence) }
        var found = StrongestSubscription()
        var (hasEntry, hasUnknownEntry, isBought, maybeBought, mayRunElsewhere) = (false, false, false, false, false)
        for subscription in all {
            let isHere = groupId == nil || subscription.group == groupId
            guard isHere || subscription.group == nil else { continue }
            switch (!subscription.hasNoEntry, isHere) {
            case (true, true): hasEntry = true
            case (true, false): hasUnknownEntry = true
            case (false, true):
                isBought = isBought || subscription.hasRows && (subscription.group != nil || subscription.hasEnd)
            case (false, false): maybeBought = maybeBought || subscription.hasEnd
            }
            guard subscription.isSubscription, isHere || subscription.hasRows else { continue }
            if isHere { found.consider(subscription) } else if subscription.mayRun { mayRunElsewhere = true }
        }
        guard !hasEntry else {
            // A running subscription of an unknown group may run in this one.
            return found.mayRun || !mayRunElsewhere ? found : StrongestSubscription(status: .groupUnknown)
        }
        let status: GroupStatus =
            if hasUnknownEntry {
                .groupUnknown
            } else if isBought {
                .noPendingRenewalInfo
            } else if !coverage.showsEverySubscription {
                .noEvidence
            } else {
                maybeBought ? .groupUnknown : .neverSubscribed
            }
        return StrongestSubscription(status: status)
    }

    /// A purchase of a group, or with `nil` of the app, that is no subscription.
    func otherPurchase(inGroup groupId: String?) -> Transaction? {
        others.first { groupId == nil || $0.group == groupId }?.transaction
    }
}

extension [Chapter] {
    /// Gives rows without an entry to the entry without rows that can only be theirs.
    fileprivate func joiningRowsWithoutEntry(at clock: Timestamp?) -> [Chapter] {
        guard count > 1 else { return self }
        var lone: [String: [Int]] = [:]
        for place in indices where self[place].transactions.isEmpty {
            if let product = self[place].renewal?.content?.productId { lone[product, default: []].append(place) }
        }
        guard !lone.isEmpty else { return self }
        var asking: [String: [Int]] = [:]
        for place in indices where self[place].renewal.map({ $0.content == nil }) ?? false {
            guard let newest = newestRow(of: place, at: clock) else { continue }
            asking[newest.productId, default: []].append(place)
        }
        var joined = self
        var gone: Set<Int> = []
        for (product, places) in asking {
            guard places.count == 1, let entries = lone[product], entries.count == 1,
                let newest = newestRow(of: places[0], at: clock)
            else { continue }
            let entry = self[entries[0]].renewal
            // An entry that ended says nothing of paid time that runs.
            if entry?.content?.hasExpirationIntent == true, clock.map(newest.runs) ?? true { continue }
            joined[entries[0]] = self[places[0]]
            joined[entries[0]].renewal = entry
            gone.insert(places[0])
        }
        return gone.isEmpty ? self : joined.indices.filter { !gone.contains($0) }.map { joined[$0] }
    }

    private func newestRow(of place: Int, at clock: Timestamp?) -> Transaction? {
        let clock = clock ?? Timestamp(millisecondsSince1970: .max)
        let periods = Periods(self[place], at: clock, now: clock)
        return periods.current.map { self[place].transactions[$0].content }
    }
}

extension Chapter {
    /// By the catalog or what is said; `nil` where it cannot be determined.
    ///
    /// A renewal that is held for too long names none.
    fileprivate func group(in app: App, oldest: Timestamp?, _ named: () -> NamedGroups) -> String? {
        let hasEntry = renewal?.content?.isStandIn == false && !isRenewalOverAge(since: oldest)
        let product = hasEntry ? renewal?.content?.productId : newestProductId
        if let product, let known = app.product(product)?.group.id { return known }
        let said = hasEntry ? renewal?.content?.subscriptionGroupIdentifier : nil
        return named().group(saidToBe: said, ofId: id, product: product)
    }

    /// Of the newest row that no upgrade replaced.
    private var newestProductId: String? {
        let rows = transactions.span
        var newest: Int?
        for index in rows.indices {
            guard rows[index].content.kind == .subscription, !rows[index].content.isUpgraded else { continue }
            if let other = newest, !Transaction.isOlder(rows[other].content, rows[index].content) { continue }
            newest = index
        }
        return if let newest { transactions[newest].content.productId } else { nil }
    }
}

/// The groups that transactions tell of subscriptions and of products.
private struct NamedGroups {
    private var ofIds: [String: Set<String>] = [:]
    private var ofProducts: [String: Set<String>] = [:]
    /// The catalog's groups by Apple's: another id than the catalog's is one that somebody mistyped.
    private var ofGroups: [String: Set<String>]

    init(_ chapters: [Chapter], of app: App) {
        ofGroups = Dictionary(app.subscriptionGroups.map { ($0.id, [$0.id]) }) { first, _ in first }
        for chapter in chapters {
            if let renewal = chapter.renewal?.content {
                name(renewal.subscriptionGroupIdentifier, by: renewal.productId.flatMap(app.product)?.group.id)
            }
            for transaction in chapter.transactions.lazy.map(\.content) {
                name(transaction.subscriptionGroupIdentifier, by: app.product(transaction.productId)?.group.id)
                if let group = Book.group(of: transaction, in: app) {
                    ofIds[transaction.originalTransactionId, default: []].insert(group)
                }
                if let group = transaction.subscriptionGroupIdentifier {
                    ofProducts[transaction.productId, default: []].insert(group)
                }
            }
        }
    }

    private mutating func name(_ said: String?, by known: String?) {
        if let said, let known { ofGroups[said, default: []].insert(known) }
    }

    /// Where several are named none is taken: nobody can see which of them is true.
    func group(saidToBe said: String?, ofId id: String?, product: String?) -> String? {
        let named = said.map { [$0] } ?? id.flatMap { ofIds[$0] } ?? product.flatMap { ofProducts[$0] } ?? []
        let meant = named.reduce(into: Set<String>()) { $0.formUnion(ofGroups[$1] ?? [$1]) }
        return meant.count == 1 ? meant.first : nil
    }
}
