/// The identifiers of subscriptions that have had several: by ``Transaction/previousOriginalTransactionId``, or by a
/// restore, which gives another to a copy of a purchase.
struct SubscriptionIds {
    /// The subscription before each, by its identifier.
    private var previous: [String: String] = [:]
    private var neighbours: [String: Set<String>] = [:]

    var isEmpty: Bool { neighbours.isEmpty }

    init(_ history: SubscriptionHistory) {
        var items: [String: String] = [:]
        var isOne = true
        // A span avoids copies: copying a transaction takes longer than looking at it.
        let rows = history.transactions.span
        for index in rows.indices.dropFirst() where isOne {
            isOne = rows[index].originalTransactionId == rows[0].originalTransactionId
        }
        for index in rows.indices {
            if let before = rows[index].previousOriginalTransactionId {
                join(rows[index].originalTransactionId, after: before)
            }
            guard !isOne, rows[index].isOwnPurchase, let item = rows[index].webOrderLineItemId else { continue }
            let id = rows[index].originalTransactionId
            if let other = items[item] { join(id, with: other) } else { items[item] = id }
        }
        for (id, others) in history.linkedIds {
            for other in others { join(id, with: other) }
        }
    }

    private mutating func join(_ id: String, after before: String) {
        if id != before, previous[id] == nil { previous[id] = before }
        join(id, with: before)
    }

    private mutating func join(_ id: String, with other: String) {
        guard id != other, !id.isEmpty, !other.isEmpty else { return }
        neighbours[id, default: []].insert(other)
        neighbours[other, default: []].insert(id)
    }

    /// Of each subscription that has several, the first one first.
    var all: [[String]] {
        var known: Set<String> = []
        return neighbours.keys.sorted().compactMap { id in
            guard known.insert(id).inserted else { return nil }
            var (found, next) = ([id], [id])
            while let one = next.popLast() {
                for other in neighbours[one] ?? [] where known.insert(other).inserted {
                    found.append(other)
                    next.append(other)
                }
            }
            // The App Store gives them out in order: where the first one is not said, it is the lowest.
            found.sort { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
            let first = found.first { previous[$0] == nil } ?? found[0]
            return [first] + found.filter { $0 != first }
        }
    }
}

extension SubscriptionHistory {
    /// The history with one identifier for each subscription, the first that it had.
    func joiningIds() -> SubscriptionHistory {
        let ids = SubscriptionIds(self)
        guard !ids.isEmpty else { return self }
        var history = self
        var firsts: [String: String] = [:]
        for all in ids.all {
            for id in all { firsts[id] = all[0] }
            history.otherIds[all[0]] = Array(all.dropFirst().prefix(HeldSubscription.mostLinked))
        }
        for index in transactions.indices {
            guard let first = firsts[transactions[index].originalTransactionId] else { continue }
            history.transactions[index].originalTransactionId = first
        }
        for index in recordedTransactions.indices {
            guard let first = firsts[recordedTransactions[index].originalTransactionId] else { continue }
            history.recordedTransactions[index].originalTransactionId = first
        }
        let newest = idsOfNewestPurchases(firsts)
        history.renewals = renewals?.joined(firsts, newest)
        for id in firsts.keys { history.heldShares[id] = nil }
        for (first, ids) in newest where ids.allSatisfy({ heldShares[$0] != nil }) {
            history.heldShares[first] = ids.first.flatMap { heldShares[$0] }
        }
        return history
    }

    /// The identifiers under which the newest purchase of each subscription comes.
    private func idsOfNewestPurchases(_ firsts: [String: String]) -> [String: [String]] {
        var newest: [String: Int] = [:]
        for index in transactions.indices {
            guard let first = firsts[transactions[index].originalTransactionId],
                transactions[index].kind == .subscription, !transactions[index].isUpgraded
            else { continue }
            if newest[first].map({ Transaction.isOlder(transactions[$0], transactions[index]) }) ?? true {
                newest[first] = index
            }
        }
        var found: [String: [String]] = [:]
        for index in transactions.indices {
            guard let first = firsts[transactions[index].originalTransactionId], let newest = newest[first],
                index == newest || transactions[index].isSamePurchase(as: transactions[newest])
            else { continue }
            found[first, default: []].append(transactions[index].originalTransactionId)
        }
        return found.mapValues { $0.sorted() }
    }
}

extension [RenewalInfo] {
    /// The entries with the first identifiers of their subscriptions.
    ///
    /// Of several the one of the newest purchase counts, and then one of Apple's before a stand-in.
    fileprivate func joined(_ firsts: [String: String], _ newest: [String: [String]]) -> [RenewalInfo] {
        var chosen: [String: (index: Int, rank: Int, id: String)] = [:]
        for index in indices {
            guard let id = self[index].originalTransactionId, let first = firsts[id] else { continue }
            let isOfNewest = newest[first]?.contains(id) ?? true
            let rank = (isOfNewest ? 2 : 0) + (self[index].isStandIn ? 0 : 1)
            if let other = chosen[first], (other.rank, other.id) > (rank, id) { continue }
            chosen[first] = (index, rank, id)
        }
        return indices.compactMap { index in
            guard let id = self[index].originalTransactionId, let first = firsts[id] else { return self[index] }
            guard let one = chosen[first], one.index == index else { return nil }
            var entry = self[index]
            // It speaks of the subscription as it was under an earlier identifier.
            if one.rank < 2 {
                entry = .standIn(
                    originalTransactionId: first,
                    productId: entry.productId ?? "",
                    subscriptionGroupIdentifier: entry.subscriptionGroupIdentifier
                )
            }
            entry.originalTransactionId = first
            return entry
        }
    }
}
