import Testing

@testable import Offers

@Suite("The subscriptions of an answer")
struct HoldingsTests {
    private static func generated(seed: UInt64, entries: Int) -> SubscriptionHistory {
        var generator = SeededGenerator(seed: seed)
        let ids = ["", "1", "2", "3"]
        let products = ["pro.monthly", "news.monthly", "unknown", "gone"]
        let groups = [nil, "pro", "stated"]
        func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &generator)]
        }
        let transactions = (0..<40).map { _ in
            Transaction(
                originalTransactionId: pick(ids + ["5", "6"]),
                productId: pick(products),
                subscriptionGroupIdentifier: pick(groups),
                purchaseDate: pick([nil, day(-3), day(-2), day(-1)]),
                expiresDate: pick([nil, day(-1), day(1)]),
                isUpgraded: pick([false, false, true]),
                ownership: pick([.purchased, .purchased, .familyShared, .assigned]),
                transactionId: pick([nil, "10", "11", "12", "13"])
            )
        }
        let renewals = (0..<entries).map { _ in
            RenewalInfo(
                originalTransactionId: pick([nil] + ids + ["4"]),
                productId: pick([nil] + products + ["other"]),
                subscriptionGroupIdentifier: pick([nil, nil, "stated"]),
                hasExpirationIntent: pick([true, false])
            )
        }
        return SubscriptionHistory(
            bundleId: "com.example.reader",
            environment: .production,
            asOf: clock,
            renewals: renewals,
            transactions: Array(transactions.prefix(Int.random(in: 0...40, using: &generator)))
        )
    }

    /// The rule in plain words: the places of the rows of each entry, and then of each other identifier.
    private static func plain(_ history: SubscriptionHistory) -> [Set<Int>] {
        let rows = history.transactions
        let renewals = history.renewals ?? []
        func places(of id: String?) -> Set<Int> {
            Set(rows.indices.filter { rows[$0].originalTransactionId == id })
        }
        func newest(_ places: Set<Int>) -> Transaction? {
            let counting = places.map { rows[$0] }.filter { !$0.isUpgraded }
            return (counting.filter { $0.ownership != .familyShared }.max(by: Transaction.isOlder))
                ?? counting.max(by: Transaction.isOlder)
        }
        var found = renewals.map { $0.originalTransactionId == nil ? [] : places(of: $0.originalTransactionId) }
        let others = Set(rows.map(\.originalTransactionId)).subtracting(renewals.compactMap(\.originalTransactionId))
        let asking = others.map { places(of: $0) }
        var left: [Set<Int>] = []
        for own in asking {
            guard let row = newest(own) else {
                left.append(own)
                continue
            }
            let lone = renewals.indices.filter { found[$0].isEmpty && renewals[$0].productId == row.productId }
            let rivals = asking.filter { newest($0)?.productId == row.productId }
            if lone.count == 1, rivals.count == 1, !(renewals[lone[0]].hasExpirationIntent && row.runs(at: clock)) {
                continue
            }
            left.append(own)
        }
        for own in asking where !left.contains(own) {
            let product = newest(own)?.productId
            if let place = renewals.indices.first(where: { found[$0].isEmpty && renewals[$0].productId == product }) {
                found[place] = own
            }
        }
        return found + left
    }

    @Test("are one for each entry, and one for each identifier of which no entry speaks", arguments: UInt64(0)..<120)
    func agrees(seed: UInt64) {
        let history = Self.generated(seed: seed, entries: seed.isMultiple(of: 2) ? 3 : Holdings.few + 20)
        let holdings = Holdings(history, of: exampleApp(), at: clock)
        let plain = Self.plain(history)
        #expect(holdings.all.count == plain.count)
        #expect(holdings.all.count { $0.hasRows } == plain.count { !$0.isEmpty })
        for (holding, rows) in zip(holdings.all, plain) where holding.entry != nil {
            let own = rows.map { history.transactions[$0] }.filter { !$0.isUpgraded }
            let newest =
                own.filter { $0.ownership != .familyShared }.max(by: Transaction.isOlder)
                ?? own.max(by: Transaction.isOlder)
            let found = holding.newest.map { history.transactions[$0] }
            #expect((found == nil) == (newest == nil))
            guard let found, let newest else { continue }
            #expect(!Transaction.isOlder(found, newest) && !Transaction.isOlder(newest, found))
            #expect(holding.hasRows == !rows.isEmpty)
        }
    }

    @Test(
        "Seats that are added within a period say nothing of it: its own purchase counts, in whatever order they come"
    )
    func addedSeats() {
        var seats = bought(on: -3, refunded: -1, called: "2")
        seats.isAddition = true
        for rows in [[bought(called: "1"), seats], [seats, bought(called: "1")]] {
            let holdings = Holdings(history([entry()], rows), of: exampleApp(), at: clock)
            #expect(holdings.all.first?.newest.map { rows[$0].transactionId } == "1")
        }
        var first = bought(called: "1")
        first.isAddition = true
        for rows in [[first, seats], [seats, first]] {
            let holdings = Holdings(history([entry()], rows), of: exampleApp(), at: clock)
            #expect(holdings.all.first?.newest.map { rows[$0].transactionId } == "1")
        }
        let alone = Holdings(history([entry()], [seats]), of: exampleApp(), at: clock)
        #expect(alone.all.first?.newest == 0)
    }
}
