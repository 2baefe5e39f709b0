import Testing

@testable import Offers

@Suite("Evidence beside many held subscriptions")
struct HeldUpdateTests {
    /// A subscription's purchase or two and its entry, at random.
    private func subscription(
        _ id: String,
        isSigned: Bool,
        using random: inout SeededGenerator
    ) -> (transactions: [Transaction], entries: [RenewalInfo]) {
        let date = day(Double.random(in: -3...0, using: &random))
        let transactions = (0..<Int.random(in: 1...2, using: &random)).map { number in
            var transaction = bought(
                id,
                on: Double(-40 + 30 * number),
                until: Double(-10 + 30 * number),
                refunded: Int.random(in: 0..<5, using: &random) == 0 ? -5 : nil,
                by: Account.alice.payloadField,
                under: Bool.random(using: &random) ? .promotional("once") : nil,
                called: Int.random(in: 0..<5, using: &random) == 0 ? nil : "\(id).\(number)"
            )
            transaction.signedDate = isSigned ? date : nil
            return transaction
        }
        var renewal = entry(id, renews: Bool.random(using: &random))
        renewal.signedDate = isSigned ? date : nil
        return (transactions, Int.random(in: 0..<4, using: &random) == 0 ? [] : [renewal])
    }

    /// A history of subscriptions in mixed order, some with two entries.
    private func history(
        of ids: [String],
        isSigned: Bool,
        using random: inout SeededGenerator
    ) -> SubscriptionHistory {
        let all = ids.map { subscription($0, isSigned: isSigned, using: &random) }
        let doubled = all.flatMap(\.entries) + all.prefix(3).flatMap(\.entries)
        let coverages: [HistoryCoverage] = [.complete, .newestTransactions, .partial]
        return OffersTests.history(
            doubled.shuffled(using: &random),
            all.flatMap(\.transactions).shuffled(using: &random),
            asOf: day(Double.random(in: -3...0, using: &random)),
            coverage: isSigned ? .partial : coverages.randomElement(using: &random) ?? .complete
        )
    }

    /// The history with its lists in an order that is always the same: held transactions come in none.
    private func inOrder(_ history: SubscriptionHistory) -> SubscriptionHistory {
        func inOrder(_ transactions: [Transaction]) -> [Transaction] {
            transactions.map { ("\($0)", $0) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
        var sorted = history
        sorted.transactions = inOrder(history.transactions)
        sorted.recordedTransactions = inOrder(history.recordedTransactions)
        return sorted
    }

    @Test("Held subscriptions change long evidence as they would one by one", arguments: 0..<60 as Range<UInt64>)
    func alike(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let isSigned = Bool.random(using: &random)
        let evidence = history(of: (0..<90).map { "\($0)" }, isSigned: isSigned, using: &random)
        let state = held(
            [true, false].map { isSigned in
                let ids = (0..<120).filter { _ in Int.random(in: 0..<8, using: &random) == 0 }.map { "\($0)" }
                return observation(history(of: ids, isSigned: isSigned, using: &random), for: .alice)
            }
        )
        #expect(state.subscriptions.count > HistoryPositions.fewSubscriptions)
        #expect(evidence.transactions.count > HistoryPositions.fewItems)
        let atOnce = evidence.updated(by: state, for: Account.alice.view)
        let oneByOne = state.subscriptions.reduce(evidence) { history, held in
            history.updated(by: HeldState(subscriptions: [held]), for: Account.alice.view)
        }
        // Said in a word: of such long lists nobody reads the difference.
        let isAlike = inOrder(atOnce) == inOrder(oneByOne)
        #expect(isAlike)
    }
}
