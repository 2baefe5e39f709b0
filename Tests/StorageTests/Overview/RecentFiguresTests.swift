import Offers
import Testing

@testable import Storage

@Suite("Recent figures of the ledger")
struct RecentFiguresTests {
    private let offer = OfferRequest(productId: "monthly", offerId: "comeback50")

    private func decision(_ reason: Reason, in environment: AppStoreEnvironment?) -> CountedDecision {
        CountedDecision(reason, of: offer, bundleId: "reader", environment: environment, call: .signatures)
    }

    @Test("Decisions and redemptions are those of the days asked for, each by its day", arguments: LedgerHome.allCases)
    func days(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let database = try fixture.database()
        let today = FunnelPeriod.day(of: fixture.now)
        try database.add([decision(.lapsed, in: .production): 3, decision(.refunded, in: nil): 1], on: today - 1)
        try database.add([decision(.lapsed, in: .sandbox): 2], on: today)
        try database.add([decision(.lapsed, in: .production): 99], on: today - 2)
        let states = try fixture.states()
        for back in 0..<3 {
            let redeemed = subscription(
                "\(back)",
                transactionId: "\(back)",
                offer: .promotional("comeback50"),
                bought: fixture.now.adding(days: -back)
            )
            try states.learn(seen(redeemed))
        }
        let figures = try await database.recentFigures(since: fixture.now.adding(days: -1))
        let counted = figures.decisions.map { "\($0.day - today) \($0.decision.reason) \($0.count)" }
        #expect(counted.sorted() == ["-1 lapsed 3", "-1 refunded 1", "0 lapsed 2"])
        #expect(Set(figures.decisions.map(\.decision.environment)) == [.production, nil, .sandbox])
        #expect(figures.redemptions.map { $0.day - today }.sorted() == [-1, 0])
        #expect(figures.redemptions.allSatisfy { $0.count == 1 && $0.offer.request.offerId == "comeback50" })
        #expect(!figures.isCut)
    }

    @Test(
        "Chains have the number of their records and whether they ended, and the size is there",
        arguments: LedgerHome.allCases
    )
    func chains(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let empty = try await fixture.database().recentFigures(since: fixture.now)
        #expect(empty.chainCount == 0 && empty.chains.isEmpty && empty.checkpointAt == nil)
        let first = try fixture.store()
        _ = try first.commit([.of(count: 3, at: fixture.now)])
        try first.endChain()
        fixture.advance(days: 1)
        let second = try fixture.store()
        for _ in 0..<2 { _ = try second.commit([.of(count: 1, at: fixture.now)]) }
        let figures = try await fixture.database(readOnly: true).recentFigures(since: fixture.now)
        #expect(figures.chainCount == 2)
        #expect(figures.chains.map(\.records) == [2, 3])
        #expect(figures.chains.map(\.isEnded) == [false, true])
        #expect(figures.checkpointAt == fixture.now)
        #expect(figures.bytes > empty.bytes || figures.bytes >= 4096)
    }

    @Test("A verification is noted in the place of the one before", arguments: LedgerHome.allCases)
    func verification(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let database = try fixture.database()
        #expect(try await database.recentFigures(since: fixture.now).lastVerification == nil)
        for faults in [2, 0] as [Int64] {
            let note = NotedVerification(at: fixture.now, chains: 1, records: 5, faults: faults)
            try database.note(note)
            #expect(try await database.recentFigures(since: fixture.now).lastVerification == note)
        }
    }
}
