/// Where a history tells of the subscriptions that are held.
///
/// A short history, or one that is looked through for a few subscriptions only, is looked through for each of them, which
/// is the fastest. Otherwise, as only who means harm asks it, the history is looked through once for all: the time does not
/// grow with the product of both lists.
struct ToldPlaces {
    /// How many transactions and entries are few.
    static let fewItems = 64
    /// How many subscriptions are few.
    static let fewSubscriptions = 4

    /// What was found of a subscription, by positions in the lists.
    private struct Found {
        var transactions: [Int] = []
        var entry: Int?
    }

    private let isIndexed: Bool
    private var found: [String: Found] = [:]

    /// Looks through the history, where that is worth it.
    ///
    /// - Parameters:
    ///   - history: The history.
    ///   - subscriptions: What is held.
    init(_ history: SubscriptionHistory, of subscriptions: [HeldSubscription]) {
        let renewals = history.renewals ?? []
        isIndexed =
            subscriptions.count > Self.fewSubscriptions && history.transactions.count + renewals.count > Self.fewItems
        guard isIndexed else { return }
        for held in subscriptions { found[held.identity.originalTransactionId] = Found() }
        for (index, transaction) in history.transactions.enumerated() {
            found[transaction.originalTransactionId]?.transactions.append(index)
        }
        for (index, renewal) in renewals.enumerated() {
            guard let id = renewal.originalTransactionId, found[id]?.entry == nil else { continue }
            found[id]?.entry = index
        }
    }

    /// The transactions of a subscription, in the order of the list.
    ///
    /// - Parameters:
    ///   - id: The identifier of its first purchase.
    ///   - history: The history, to which others of other subscriptions may have been appended since.
    /// - Returns: Their positions.
    func transactions(of id: String, in history: SubscriptionHistory) -> [Int] {
        guard !isIndexed else { return found[id]?.transactions ?? [] }
        return history.transactions.indices.filter { history.transactions[$0].originalTransactionId == id }
    }

    /// The first entry of a subscription.
    ///
    /// - Parameters:
    ///   - id: The identifier of its first purchase.
    ///   - history: The history, to which others of other subscriptions may have been appended since.
    /// - Returns: Its position; `nil` when there is none.
    func entry(of id: String, in history: SubscriptionHistory) -> Int? {
        guard !isIndexed else { return found[id]?.entry }
        return history.renewals?.firstIndex { $0.originalTransactionId == id }
    }

    /// Notes that an entry was taken out of the list: those behind it move up.
    ///
    /// - Parameter index: Where it was.
    mutating func noteRemoval(at index: Int) {
        for id in found.keys {
            guard let entry = found[id]?.entry, entry > index else { continue }
            found[id]?.entry = entry - 1
        }
    }
}
