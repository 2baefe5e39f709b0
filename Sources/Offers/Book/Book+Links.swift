/// Subscriptions that have had several identifiers: by ``Transaction/previousOriginalTransactionId``, or by a restore,
/// which gives another to a copy of a purchase.
extension Book {
    /// Gives each subscription one chapter, under the first identifier that it had; `linked` then has all the others.
    mutating func joinLinked() {
        defer { for place in chapters.indices { chapters[place].markReplacedAhead() } }
        let ids = LinkedIds(chapters)
        guard !ids.isEmpty else { return }
        for all in ids.all {
            let places = chapters.indices.filter { all.contains(chapters[$0].identity.originalTransactionId) }
            guard let first = places.first else { continue }
            var whole = chapters[first]
            let newest = places.flatMap { place in chapters[place].transactions.map { (place, $0.content) } }
                .filter { $0.1.kind == .subscription && !$0.1.isUpgraded }
                .max { Transaction.isOlder($0.1, $1.1) }
            // The same purchase may come under several identifiers.
            let ofNewest = places.filter { place in
                guard let newest else { return true }
                return newest.0 == place
                    || chapters[place].transactions.contains { $0.content.isSamePurchase(as: newest.1) }
            }
            let entry = ofNewest.compactMap { chapters[$0].renewal }.reduce(nil) { joined, statement in
                joined.map { joined in
                    var joined = joined
                    joined.join(statement)
                    return joined
                } ?? statement
            }
            for place in places.dropFirst() { whole.join(chapters[place]) }
            // The renewal of an earlier identifier speaks of the subscription as it was: then nothing is said of it now, but
            // for an offer that was taken.
            let earlier = places.compactMap { chapters[$0].renewal?.content }
            if !earlier.isEmpty, entry?.content == nil {
                var unsaid = RenewalInfo.standIn(originalTransactionId: all[0])
                unsaid.offer = earlier.lazy.compactMap(\.offer).first
                whole.renewal?.content = unsaid
                if entry == nil, unsaid.offer == nil { whole.renewal = nil }
            } else {
                whole.renewal = entry
            }
            whole.isEvident = ofNewest.contains { chapters[$0].isEvident }
            whole.identity = whole.identity.with(all[0])
            whole.linked = Set(all.dropFirst().prefix(Chapter.mostLinked))
            whole.renewal?.content?.originalTransactionId = all[0]
            for index in whole.transactions.indices {
                whole.transactions[index].content.originalTransactionId = all[0]
            }
            for index in whole.shown.indices { whole.shown[index].originalTransactionId = all[0] }
            chapters[first] = whole
            for place in places.dropFirst().reversed() { chapters.remove(at: place) }
        }
    }
}

/// The identifiers of subscriptions that have had several.
struct LinkedIds {
    /// The subscription before each, by its identifier.
    private var previous: [String: String] = [:]
    private var neighbours: [String: Set<String>] = [:]

    var isEmpty: Bool { neighbours.isEmpty }

    init(_ chapters: [Chapter]) {
        var items: [String: String] = [:]
        // By index: a chapter would be copied.
        for place in chapters.indices {
            guard let id = chapters[place].id else { continue }
            for other in chapters[place].linked { join(id, with: other) }
            for row in chapters[place].transactions.indices {
                if let before = chapters[place].transactions[row].content.previousOriginalTransactionId {
                    if id != before, previous[id] == nil { previous[id] = before }
                    join(id, with: before)
                }
                guard chapters.count > 1, chapters[place].transactions[row].content.isOwnPurchase,
                    let item = chapters[place].transactions[row].content.webOrderLineItemId
                else { continue }
                if let other = items[item] { join(id, with: other) } else { items[item] = id }
            }
        }
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
