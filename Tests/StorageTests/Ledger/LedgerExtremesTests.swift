import Offers
import Synchronization
import Testing

@testable import Storage

@Suite("Numbers in the database that nothing can be added to")
struct LedgerExtremesTests {
    @Test("At the end of time, too, chains begin, and are written", arguments: LedgerHome.allCases)
    func lastMoment(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        _ = try fixture.store().commit([.of(at: fixture.now)])
        fixture.clock.withLock { $0 = Timestamp(millisecondsSince1970: .max) }
        for _ in 0..<2 { #expect(try fixture.store().commit([.of(at: fixture.now)]) == [[.recorded]]) }
    }

    @Test("To a chain with a number that none comes to nothing is written", arguments: LedgerHome.allCases)
    func lastNumber(home: LedgerHome) throws {
        for number in [Int64.max, Int64.max - 1, Int64.min] {
            let fixture = try LedgerFixture(home)
            let store = try fixture.store()
            _ = try store.commit([.of(at: fixture.now)])
            // What is not committed has the end of the chain read again.
            #expect(throws: StorageFailure.self) { try store.commit([.of(at: fixture.now)], while: { false }) }
            // The smallest number has no literal in SQL.
            try fixture.execute("UPDATE ledger_records SET number = \(number / 2) + \(number - number / 2)")
            #expect(throws: StorageFailure.self) { try store.commit([.of(at: fixture.now)]) }
        }
    }

    @Test("After a commit that failed, the next goes on where the chain ends", arguments: LedgerHome.allCases)
    func failed(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        _ = try store.commit([.of(at: fixture.now)])
        #expect(throws: StorageFailure.self) { try store.commit([.of(at: fixture.now)], while: { false }) }
        #expect(try store.commit([.of(at: fixture.now)]) == [[.recorded]])
        #expect(try fixture.records().map(\.number) == [1, 2])
        // A record that somebody else puts there meanwhile is not what this writer may have written.
        #expect(throws: StorageFailure.self) { try store.commit([.of(at: fixture.now)], while: { false }) }
        try fixture.execute(LedgerTamperings.inserting("writer", "3", from: 1))
        #expect(throws: StorageFailure(.malformed, "")) { try store.commit([.of(at: fixture.now)]) }
    }

    @Test("A position that a list does not have is no answer", arguments: [Int64.min, -1, 0, 4, .max])
    func positions(ordinal: Int64) throws {
        let database = try PostgreSQLDatabase(try TestServer.makeDatabase())
        func position(_ ordinal: Int64) throws -> Int {
            try database.read { session throws(StorageFailure) in
                try session.run("SELECT $1::int8", .integer(ordinal)).position(0, among: 3)
            }
        }
        #expect(throws: StorageFailure.self) { try position(ordinal) }
        #expect(try (1...3).map(position) == [0, 1, 2])
    }

    @Test("Counts of decisions stop at the end of the range")
    func decisions() {
        var figures = FunnelFigures()
        let offer = FunnelFigures.Offer(bundleId: "app", request: OfferRequest(productId: "monthly", offerId: "a"))
        for _ in 0..<2 { figures.addDecisions(offer, call: "signatures", reason: "lapsed", .max) }
        #expect(figures.decisions.map(\.value) == [.max])
    }

    @Test("An offer that lasts longer than can be reckoned with is not read", arguments: LedgerHome.allCases)
    func periods(home: LedgerHome) async throws {
        let country = try #require(CountryCode("DEU"))
        for count in ["9223372036854775807", "1001", "0", "-1"] {
            let fixture = try LedgerFixture(home)
            let price = try #require(Price("0.50"))
            let terms = OfferTerms(price: price, paymentMode: .payUpFront, unit: .year, count: 1000)
            let report = ProductReport(
                productId: "monthly",
                country: country,
                tag: PriceTag(price: price, currency: try #require(CurrencyCode("EUR")), symbol: nil),
                offers: [ReportedOffer(name: .introductory, terms: terms)]
            )
            #expect(try await fixture.productReports().keep([report], of: "app", at: fixture.now) == [true])
            #expect(try await fixture.productReports().products(of: "app", in: country).count == 1)
            try fixture.execute(
                "UPDATE product_sightings SET body = replace(body, '\"periods\":1000', '\"periods\":\(count)')"
            )
            await #expect(throws: StorageFailure.self) {
                try await fixture.productReports().products(of: "app", in: country)
            }
        }
    }
}
