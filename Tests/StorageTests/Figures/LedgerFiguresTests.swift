import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Figures of decisions, signatures and redemptions")
struct LedgerFiguresTests {
    private static let app = "com.example.reader"

    private func decision(_ reason: Reason, in environment: AppStoreEnvironment? = .production) -> CountedDecision {
        let request = offer("comeback50").request
        return CountedDecision(reason, of: request, bundleId: Self.app, environment: environment, call: .signatures)
    }

    private func offer(_ id: String) -> FunnelFigures.Offer {
        FunnelFigures.Offer(bundleId: Self.app, request: OfferRequest(productId: "monthly", offerId: id))
    }

    private func counts(_ figures: FunnelFigures) -> [Reason: Int] {
        Dictionary(figures.decisions.map { ($0.key.reason, $0.value) }, uniquingKeysWith: +)
    }

    private func redeemed(_ id: String, at moment: Timestamp, price: PaidPrice? = nil) -> StateWork {
        let held = subscription(
            id,
            of: nil,
            transactionId: id,
            offer: .promotional("comeback50"),
            bought: moment,
            price: price
        )
        return StateWork(notification: nil, observation: seen(held))
    }

    private func funnel(
        _ fixture: LedgerFixture,
        _ period: FunnelPeriod = FunnelPeriod(since: nil, until: nil),
        in environment: AppStoreEnvironment = .production
    ) throws -> FunnelFigures { try fixture.database(readOnly: true).funnelFigures(of: period, in: environment) }

    @Test("Counts of two services add up, and stay after both have stopped", arguments: LedgerHome.allCases)
    func counted(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        for _ in 0..<2 {
            let tally = try fixture.journal()
            for _ in 0..<3 { tally.count(decision(.lapsed)) }
            tally.count(decision(.neverSubscribed, in: nil))
            tally.count(decision(.refunded, in: .sandbox))
            tally.close()
        }
        let figures = try funnel(fixture)
        #expect(counts(figures) == [.lapsed: 6, .neverSubscribed: 2])
        #expect(Set(figures.decisions.keys.map(\.offer)) == [offer("comeback50")])
        #expect(counts(try funnel(fixture, in: .sandbox)) == [.refunded: 2])
    }

    @Test(
        "Each day's decisions, signatures and redemptions count in its period, and by its day where all days are asked for",
        arguments: LedgerHome.allCases
    )
    func days(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let (store, states, database) = (try fixture.store(), try fixture.states(), try fixture.database())
        let first = fixture.now
        for day in 0..<3 {
            _ = try store.commit([.of(count: day + 1, at: fixture.now), .of(offer: "", at: fixture.now)])
            try database.add([decision(.lapsed): day + 1], on: FunnelPeriod.day(of: fixture.now))
            _ = try states.commit([redeemed("\(day)", at: fixture.now.adding(seconds: 60))])
            if day < 2 { fixture.advance(days: 1) }
        }
        func figures(_ since: Int?, _ until: Int?) throws -> FunnelFigures {
            try funnel(
                fixture,
                FunnelPeriod(since: since.map { first.adding(days: $0) }, until: until.map { first.adding(days: $0) })
            )
        }
        for (since, until, expected) in [(nil, nil, 6), (1, nil, 5), (nil, 0, 1), (1, 1, 2)] as [(Int?, Int?, Int)] {
            let found = try figures(since, until)
            #expect(counts(found) == [.lapsed: expected])
            #expect(found.signatures == [offer("comeback50"): expected])
        }
        #expect(try figures(nil, nil).redemptions.values.reduce(0, +) == 3)
        #expect(try figures(2, nil).redemptions.values.reduce(0, +) == 1)
        #expect(try funnel(fixture, in: .sandbox) == FunnelFigures())

        let today = FunnelPeriod.day(of: fixture.now)
        try database.add([decision(.refunded, in: nil): 1, decision(.lapsed, in: .sandbox): 2], on: today)
        let recent = try await database.recentFigures(since: first.adding(days: 1))
        let counted = recent.decisions.map { "\($0.day - today) \($0.decision.reason) \($0.count)" }
        #expect(counted.sorted() == ["-1 lapsed 2", "0 lapsed 2", "0 lapsed 3", "0 refunded 1"])
        #expect(Set(recent.decisions.map(\.decision.environment)) == [.production, nil, .sandbox])
        #expect(recent.redemptions.map { $0.day - today }.sorted() == [-1, 0])
        #expect(recent.redemptions.allSatisfy { $0.count == 1 && $0.offer == offer("comeback50") })
        #expect(!recent.isCut)
    }

    @Test(
        "Redemptions are listed with price and whether they were signed here; those of a day that were count by app",
        arguments: LedgerHome.allCases
    )
    func redemptions(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        func today() throws -> [String: Int] {
            try DatabaseFigures(of: try fixture.database(), at: fixture.now).redemptions
        }
        let price = PaidPrice(milliunits: 4990, currency: "EUR")
        let signed = ["1", "2", "sandbox"].map {
            LedgerEntry.of(account: "", originalTransactionId: $0, at: fixture.now)
        }
        _ = try fixture.store().commit(signed)
        #expect(try today() == [:])
        let works = ["1", "2", "3", "4", "sandbox"].map { id in
            redeemed(id, at: fixture.now.adding(seconds: 60), price: id == "4" ? nil : price)
        }
        _ = try fixture.states().commit(works + works)
        try fixture.execute("UPDATE redemptions SET environment = 'Sandbox' WHERE transaction_id = 'sandbox'")
        func listed(_ price: PaidPrice?, _ isSignedHere: Bool) -> FunnelFigures.Redemptions {
            FunnelFigures.Redemptions(
                offer: offer("comeback50"),
                price: price,
                storefront: price == nil ? nil : "DEU",
                isSignedHere: isSignedHere
            )
        }
        #expect(
            try funnel(fixture).redemptions
                == [listed(price, true): 2, listed(price, false): 1, listed(nil, false): 1]
        )
        #expect(try today() == [Self.app: 2])
        fixture.advance(days: 2)
        #expect(try today() == [:])
    }

    @Test("Counts made while the database was away are warned of, and added when it is back")
    func away() throws {
        let fixture = try LedgerFixture(.sqlite)
        let isAway = Atomic(true)
        let database = TroubledDatabase(try fixture.database()) { _ throws(StorageFailure) in
            if isAway.load(ordering: .relaxed) { throw StorageFailure(.unavailable, "away") }
        }
        let tally = try fixture.journal(in: database, at: clock)
        #expect(tally.statisticsWarning == nil)
        tally.count(decision(.lapsed))
        tally.close()
        #expect(tally.statisticsWarning?.contains("away") == true)
        isAway.store(false, ordering: .relaxed)
        tally.count(decision(.lapsed))
        tally.close()
        #expect(tally.statisticsWarning == nil)
        #expect(counts(try funnel(fixture)) == [.lapsed: 2])
    }

    @Test("Counts of decisions stop at the end of the range")
    func range() {
        var figures = FunnelFigures()
        for _ in 0..<2 { figures.addDecisions(offer("a"), call: "signatures", reason: "lapsed", .max) }
        #expect(figures.decisions.map(\.value) == [.max])
    }
}
