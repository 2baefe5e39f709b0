import Testing

@testable import Offers

@Suite("Many entries of one answer")
struct EntryLookupTests {
    private static func history(seed: UInt64) -> SubscriptionHistory {
        var generator = SeededGenerator(seed: seed)
        let ids = ["", "1", "2", "3"]
        let products = ["pro.monthly", "news.monthly", "unknown", "gone"]
        let groups = [nil, "pro", "stated"]
        func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &generator)]
        }
        let transactions = (0..<40).map { _ in
            Transaction(
                originalTransactionId: pick(ids),
                productId: pick(products),
                subscriptionGroupIdentifier: pick(groups),
                purchaseDate: pick([nil, day(-3), day(-2), day(-1)]),
                expiresDate: pick([nil, day(-1), day(1)]),
                isUpgraded: pick([false, false, true]),
                isFamilyShared: pick([false, false, true]),
                transactionId: pick([nil, "10", "11", "12", "13"])
            )
        }
        let renewals = (0..<EntryLookup.fewEntries + 20).map { _ in
            RenewalInfo(
                originalTransactionId: pick([nil] + ids + ["4"]),
                productId: pick([nil] + products + ["other"]),
                subscriptionGroupIdentifier: pick([nil, nil, "stated"])
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

    @Test("are read as each of them alone is", arguments: UInt64(0)..<60)
    func agrees(seed: UInt64) throws {
        let history = Self.history(seed: seed)
        let app = exampleApp()
        let lookup = EntryLookup(history, of: app)
        let renewals = try #require(history.renewals)
        for renewal in renewals {
            #expect(lookup.group(of: renewal) == history.groupIdentifier(of: renewal, in: app))
            let transactions = history.transactions(of: renewal)
            #expect(lookup.newestTransaction(of: renewal) == Subscription.newest(of: transactions))
            #expect(lookup.hasTransactions(of: renewal) == !transactions.isEmpty)
        }
        // What counts of all of them is what counts of those few that are of use.
        let status = history.status(inGroup: "pro", of: app, at: clock)
        guard case .subscriber(let subscription) = status else { return }
        var alone = history
        alone.renewals = [subscription.renewal]
        #expect(alone.status(inGroup: "pro", of: app, at: clock) == status)
    }
}
