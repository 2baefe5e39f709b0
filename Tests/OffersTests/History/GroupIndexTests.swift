import Testing

@testable import Offers

@Suite("Many groups of one answer")
struct GroupIndexTests {
    @Test("are read as each of them alone is", arguments: UInt64(0)..<200)
    func agrees(seed: UInt64) {
        var history = RedemptionTallyTests.generated(seed: seed)
        let tokens = [Account.alice, .bob].map(\.storedToken)
        for index in history.transactions.indices where (seed + UInt64(index)) % 3 == 0 {
            history.transactions[index].appAccountToken = tokens[index % 2]
        }
        let app = exampleApp()
        let index = GroupIndex(history, of: app)
        let shared = SharedHistory(history)
        for group in RedemptionTallyTests.groups {
            let alone = HistoryReading(shared, own: shared, inGroup: group, of: app, at: clock)
            let indexed = HistoryReading(shared, own: shared, inGroup: group, of: app, at: clock, by: index)
            #expect(indexed.status == alone.status)
            #expect(indexed.accounts == alone.accounts)
            #expect(indexed.date == alone.date)
        }
        for group in [nil] + RedemptionTallyTests.groups.map(Optional.some) {
            let transactions = history.transactions.filter { history.groupIdentifier(of: $0, in: app) == group }
            #expect(Array(index.transactions(inGroup: group)) == transactions)
        }
    }

    @Test("are looked for in one pass where the lists are long, and a single one without an index")
    func once() {
        let long = history([entry()], (0..<100).map { bought(on: -Double($0) - 1, called: "\($0)") })
        for (history, isIndexed) in [(long, true), (history([entry()], [bought()]), false)] {
            var policy = examplePolicy(history, for: .alice, maximumAge: 0)
            _ = policy.decide(OfferRequest(productId: "pro.monthly", offerId: "anyone"))
            _ = policy.decide(OfferRequest(productId: "pro.monthly", offerId: "stay"))
            #expect(policy.evidence.index == nil)
            _ = policy.decide(OfferRequest(productId: "news.monthly", offerId: "extra"))
            let index = policy.evidence.index
            #expect((index != nil) == isIndexed)
            _ = policy.decide(OfferRequest(productId: "pro.monthly", offerId: "whole-app"))
            #expect(policy.evidence.index === index)
        }
    }
}
