import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Figures of offers in the ledger")
struct FunnelFiguresTests {
    private static let app = "com.example.reader"

    private func decision(
        _ reason: Reason,
        _ offer: String = "comeback50",
        in environment: AppStoreEnvironment? = .production,
        _ call: DecisionCall = .signatures
    ) -> CountedDecision {
        CountedDecision(
            reason,
            of: OfferRequest(productId: "monthly", offerId: offer),
            bundleId: Self.app,
            environment: environment,
            call: call
        )
    }

    private func offer(_ id: String) -> FunnelFigures.Offer {
        FunnelFigures.Offer(bundleId: Self.app, request: OfferRequest(productId: "monthly", offerId: id))
    }

    private func counts(_ figures: FunnelFigures) -> [Reason: Int] {
        Dictionary(figures.decisions.map { ($0.key.reason, $0.value) }, uniquingKeysWith: +)
    }

    private var allDays: FunnelPeriod { FunnelPeriod(since: nil, until: nil) }

    @Test("Counts of two services add up, and stay after both have stopped", arguments: LedgerHome.allCases)
    func counted(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        for _ in 0..<2 {
            let tally = DurableOfferTally(in: try fixture.database(), now: { fixture.now })
            for _ in 0..<3 { tally.count(decision(.lapsed)) }
            tally.count(decision(.neverSubscribed, in: nil))
            tally.count(decision(.refunded, in: .sandbox))
            tally.close()
        }
        let figures = try fixture.database(readOnly: true).funnelFigures(of: allDays, in: .production)
        #expect(counts(figures) == [.lapsed: 6, .neverSubscribed: 2])
        #expect(Set(figures.decisions.keys.map(\.offer)) == [offer("comeback50")])
        #expect(counts(try fixture.database(readOnly: true).funnelFigures(of: allDays, in: .sandbox)) == [.refunded: 2])
    }

    @Test("Each day's decisions, signatures and redemptions count in its period", arguments: LedgerHome.allCases)
    func days(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let (store, states, counts) = (try fixture.store(), try fixture.states(), try fixture.database())
        let first = fixture.now
        for day in 0..<3 {
            _ = try store.commit([.of(count: day + 1, at: fixture.now), .of(offer: "", at: fixture.now)])
            try counts.add([decision(.lapsed): day + 1], on: FunnelPeriod.day(of: fixture.now))
            let redeemed = subscription(
                "\(day)",
                transactionId: "\(day)",
                offer: .promotional("comeback50"),
                bought: fixture.now.adding(seconds: 60)
            )
            try states.learn(seen(redeemed))
            fixture.advance(days: 1)
        }
        func figures(_ since: Int64?, _ until: Int64?) throws -> FunnelFigures {
            let period = FunnelPeriod(
                since: since.map { first.adding(seconds: $0 * 86_400) },
                until: until.map { first.adding(seconds: $0 * 86_400) }
            )
            return try fixture.database(readOnly: true).funnelFigures(of: period, in: .production)
        }
        for (since, until, expected) in [(nil, nil, 6), (1, nil, 5), (nil, 0, 1), (1, 1, 2)] as [(Int64?, Int64?, Int)]
        {
            let found = try figures(since, until)
            #expect(self.counts(found) == [.lapsed: expected])
            #expect(found.signatures == [offer("comeback50"): expected])
        }
        #expect(try figures(nil, nil).redemptions.values.reduce(0, +) == 3)
        #expect(try figures(2, nil).redemptions.values.reduce(0, +) == 1)
        #expect(try fixture.database(readOnly: true).funnelFigures(of: allDays, in: .sandbox) == FunnelFigures())
    }

    @Test("Redemptions are listed with their price, and whether they were signed here", arguments: LedgerHome.allCases)
    func redemptions(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let price = PaidPrice(milliunits: 4990, currency: "EUR")
        _ = try fixture.store().commit([.of(account: "", originalTransactionId: "1", at: fixture.now)])
        let later = fixture.now.adding(seconds: 60)
        let works = ["1", "2", "3"].map { id in
            StateWork(
                notification: nil,
                observation: seen(
                    subscription(
                        id,
                        of: nil,
                        transactionId: id,
                        offer: .promotional("comeback50"),
                        bought: later,
                        price: id == "3" ? nil : price
                    )
                )
            )
        }
        _ = try fixture.states().commit(works + works)
        let figures = try fixture.database(readOnly: true).funnelFigures(of: allDays, in: .production)
        func redeemed(_ price: PaidPrice?, _ isSignedHere: Bool) -> FunnelFigures.Redemptions {
            FunnelFigures.Redemptions(
                offer: offer("comeback50"),
                price: price,
                storefront: price == nil ? nil : "DEU",
                isSignedHere: isSignedHere
            )
        }
        #expect(
            figures.redemptions == [redeemed(price, true): 1, redeemed(price, false): 1, redeemed(nil, false): 1]
        )
    }

    @Test("Counts made while the database was away are warned of, and added when it is back")
    func away() throws {
        let fixture = try LedgerFixture(.sqlite)
        let isAway = Atomic(true)
        let database = TroubledDatabase(try fixture.database()) { _ throws(StorageFailure) in
            if isAway.load(ordering: .relaxed) { throw StorageFailure(.unavailable, "away") }
        }
        let tally = DurableOfferTally(in: database, now: { clock })
        #expect(tally.warning == nil)
        tally.count(decision(.lapsed))
        tally.close()
        #expect(tally.warning?.contains("away") == true)
        isAway.store(false, ordering: .relaxed)
        tally.count(decision(.lapsed))
        tally.close()
        #expect(tally.warning == nil)
        #expect(counts(try database.funnelFigures(of: allDays, in: .production)) == [.lapsed: 2])
    }
}
