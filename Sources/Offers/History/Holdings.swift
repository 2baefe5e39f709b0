/// The subscriptions of a history: each entry of `pending_renewal_info` with its rows, and each original transaction
/// identifier of whose rows no entry speaks.
///
/// A row belongs to the entry with its original transaction identifier, whatever its product. A row of another
/// identifier belongs to the only entry without any row that names its product, if no other identifier asks for it;
/// else it is a subscription of its own, of which it is not known whether it renews.
struct Holdings: Sendable {
    /// Entry and rows by their positions in the history's lists.
    struct Holding: Sendable {
        fileprivate(set) var entry: Int?
        /// The original transaction identifier; `nil` for an entry without one.
        fileprivate(set) var id: String?
        /// By catalog or evidence; `nil` where it cannot be determined.
        fileprivate(set) var group: String?
        /// Whether there is any row, also one that an upgrade replaced.
        fileprivate(set) var hasRows = false
        fileprivate(set) var hasEnd = false
        /// Whether a row that no upgrade replaced is a purchase of the customer's own.
        fileprivate(set) var hasPurchase = false
        /// A bundle that names the subscription as its past; of several the newest.
        fileprivate(set) var bundle: Int?
        /// The newest row that no upgrade replaced, shared ones left out.
        fileprivate var newestOwn: Int?
        fileprivate var newestShared: Int?

        /// The row that the state rests on: a shared one only where there is no other.
        var newest: Int? { newestOwn ?? newestShared }
        /// Rows without group and end are purchases that do not renew.
        var isSubscription: Bool { entry != nil || newest != nil && (group != nil || hasEnd) }
    }

    /// First those of entries, in their order.
    private(set) var all: [Holding] = []
    private var places: [String: [Int]] = [:]

    /// Without a clock the evidence's own date is Apple's.
    init(_ history: SubscriptionHistory, of app: App, at clock: Timestamp? = nil) {
        let renewals = history.renewals ?? []
        for index in renewals.indices {
            var holding = Holding()
            holding.entry = index
            holding.id = renewals[index].originalTransactionId
            add(holding)
        }
        // A span avoids copies: copying a transaction takes longer than looking at it.
        let rows = history.transactions.span
        var last: (id: String, places: [Int])?
        for index in rows.indices {
            let id = rows[index].originalTransactionId
            if last?.id != id {
                var found = places[id] ?? []
                if found.isEmpty {
                    var holding = Holding()
                    holding.id = id
                    found = [all.count]
                    add(holding)
                }
                last = (id, found)
            }
            for place in last?.places ?? [] { all[place].note(index, among: rows) }
        }
        places = [:]
        for place in all.indices { all[place].leaveAddedSeats(among: rows) }
        joinRowsWithoutEntry(history, at: clock ?? history.asOf)
        findGroups(history, of: app)
    }

    private mutating func add(_ holding: Holding) {
        if let id = holding.id { places[id, default: []].append(all.count) }
        all.append(holding)
    }

    /// Gives rows without an entry to the entry without rows that can only be theirs.
    private mutating func joinRowsWithoutEntry(_ history: SubscriptionHistory, at clock: Timestamp?) {
        guard let renewals = history.renewals, all.count > renewals.count else { return }
        var lone: [String: [Int]] = [:]
        for place in renewals.indices where !all[place].hasRows {
            if let product = renewals[place].productId { lone[product, default: []].append(place) }
        }
        guard !lone.isEmpty else { return }
        var asking: [String: [Int]] = [:]
        for place in all.indices.dropFirst(renewals.count) {
            guard let newest = all[place].newest else { continue }
            asking[history.transactions[newest].productId, default: []].append(place)
        }
        var joined: Set<Int> = []
        for (product, places) in asking {
            guard places.count == 1, let entries = lone[product], entries.count == 1,
                let newest = all[places[0]].newest
            else { continue }
            // An entry that ended says nothing of paid time that runs.
            if renewals[entries[0]].hasExpirationIntent, history.transactions[newest].runs(at: clock) { continue }
            let entry = all[entries[0]].entry
            all[entries[0]] = all[places[0]]
            all[entries[0]].entry = entry
            joined.insert(places[0])
        }
        if !joined.isEmpty { all = all.indices.filter { !joined.contains($0) }.map { all[$0] } }
    }

    private mutating func findGroups(_ history: SubscriptionHistory, of app: App) {
        var named: NamedGroups?
        for place in all.indices {
            let entry = all[place].entry.flatMap { history.renewals?[$0] }
            let product = entry == nil ? all[place].newest.map { history.transactions[$0].productId } : entry?.productId
            if let product, let known = app.product(product)?.group.id ?? entry?.subscriptionGroupIdentifier {
                all[place].group = known
            } else if let group = entry?.subscriptionGroupIdentifier {
                all[place].group = group
            } else {
                let groups = named ?? NamedGroups(history, of: app)
                named = groups
                all[place].group = groups.group(ofId: all[place].id, product: product)
            }
        }
    }
}

extension Holdings.Holding {
    /// The transaction that a subscription's state rests on.
    static func newest(of transactions: [Transaction]) -> Transaction? {
        var holding = Self()
        holding.id = transactions.first?.originalTransactionId
        let rows = transactions.span
        for index in rows.indices { holding.note(index, among: rows) }
        holding.leaveAddedSeats(among: rows)
        return holding.newest.map { transactions[$0] }
    }

    fileprivate mutating func note(_ index: Int, among rows: Span<Transaction>) {
        switch rows[index].kind {
        case .subscription: break
        case .bundle:
            if Self.isNewer(index, than: bundle, among: rows) { bundle = index }
            return
        case .other: return
        }
        hasRows = true
        if rows[index].expiresDate != nil { hasEnd = true }
        guard !rows[index].isUpgraded else { return }
        switch rows[index].ownership {
        case .familyShared: if Self.isNewer(index, than: newestShared, among: rows) { newestShared = index }
        case .purchased, .assigned, .unknown:
            if rows[index].ownership == .purchased { hasPurchase = true }
            if Self.isNewer(index, than: newestOwn, among: rows) { newestOwn = index }
        }
    }

    /// Added seats say nothing of the period that they were added to.
    ///
    /// Of the rows that end when they do the purchase counts, or the first one where all of them say that seats were
    /// added.
    fileprivate mutating func leaveAddedSeats(among rows: Span<Transaction>) {
        guard let added = newestOwn, rows[added].isAddition else { return }
        let end = rows[added].expiresDate
        var first = added
        for index in rows.indices {
            // One condition after the other: the optimiser refuses a span in the closures of `&&`.
            guard rows[index].expiresDate == end, rows[index].originalTransactionId == id, !rows[index].isUpgraded,
                rows[index].kind == .subscription, rows[index].ownership != .familyShared
            else { continue }
            let isBetter =
                rows[index].isAddition == rows[first].isAddition
                ? Transaction.isOlder(rows[index], rows[first]) == rows[first].isAddition : rows[first].isAddition
            if isBetter { first = index }
        }
        newestOwn = first
    }

    private static func isNewer(_ index: Int, than other: Int?, among rows: Span<Transaction>) -> Bool {
        guard let other else { return true }
        return Transaction.isOlder(rows[other], rows[index])
    }
}

extension Transaction {
    /// Whether its paid time runs, as far as it says: without an end it does.
    func runs(at clock: Timestamp?) -> Bool {
        guard !isUpgraded, revocationDate == nil else { return false }
        guard let expiresDate, let clock else { return true }
        return expiresDate > clock
    }
}

/// The groups that transactions tell of subscriptions and of products.
private struct NamedGroups {
    private var ofIds: [String: Set<String>] = [:]
    private var ofProducts: [String: Set<String>] = [:]

    init(_ history: SubscriptionHistory, of app: App) {
        for transaction in history.transactions {
            if let group = history.groupIdentifier(of: transaction, in: app) {
                ofIds[transaction.originalTransactionId, default: []].insert(group)
            }
            if let group = transaction.subscriptionGroupIdentifier {
                ofProducts[transaction.productId, default: []].insert(group)
            }
        }
    }

    /// Where several are named none is taken: nobody can see which of them is true.
    func group(ofId id: String?, product: String?) -> String? {
        let named = id.flatMap { ofIds[$0] } ?? product.flatMap { ofProducts[$0] } ?? []
        return named.count == 1 ? named.first : nil
    }
}
