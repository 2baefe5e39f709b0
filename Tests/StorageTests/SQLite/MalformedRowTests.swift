import LedgerFixtures
import Offers
import Testing

@testable import Storage

@Suite("Values in the file that are not of their types")
struct MalformedRowTests {
    private static let bundleId = "com.example.reader"
    private static let account = testDigestKey.digest(of: "reader-1", bundleId: bundleId) as AccountDigest

    /// What is read.
    enum Call: Sendable {
        case held
        case redemption
        case erasure
        case products
        case offersSeen
        case funnel

        /// Whether it comes across the same when it is done again.
        var isRepeatable: Bool {
            switch self {
            case .redemption, .erasure: false
            case .held, .products, .offersSeen, .funnel: true
            }
        }
    }

    /// A value that nobody wrote by this service, and who comes across it.
    struct Place: CustomTestStringConvertible, Sendable {
        let call: Call
        let tables: [String]
        let column: String
        let value: String

        /// A place.
        init(_ call: Call, _ tables: String, _ column: String, _ value: String = "X'FF'") {
            self.call = call
            self.tables = tables.split(separator: " ").map(String.init)
            self.column = column
            self.value = value
        }

        var testDescription: String { "\(call): \(tables[0]).\(column)" }
    }

    private static let places = [
        Place(.held, "held_accounts held_subscriptions", "environment"),
        Place(.held, "held_accounts", "original_transaction_id", "X'FF' WHERE all_as_of IS NULL"),
        Place(.held, "held_accounts", "all_as_of", "'x'"), Place(.held, "held_subscriptions", "body", "X'FF'"),
        Place(.held, "held_subscriptions", "body", "'x'"), Place(.held, "held_subscriptions", "body", "X'0400'"),
        Place(.erasure, "held_accounts", "bundle_id"), Place(.erasure, "held_accounts", "environment"),
        Place(.erasure, "held_accounts", "original_transaction_id", "X'FF' WHERE all_as_of IS NULL"),
        Place(.redemption, "ledger_records", "writer"),
        Place(.redemption, "ledger_records", "number", "'x'"),
        Place(.erasure, "ledger_presentations", "bundle_id"),
        Place(.erasure, "ledger_presentations", "environment"),
        Place(.erasure, "ledger_presentations", "original_transaction_id"),
        Place(.products, "product_sightings", "product_id"), Place(.products, "product_sightings", "body"),
        Place(.offersSeen, "offers_seen", "product_id"), Place(.offersSeen, "offers_seen", "offer_id"),
        Place(.funnel, "offer_counts", "bundle_id"), Place(.funnel, "offer_counts", "product_id"),
        Place(.funnel, "offer_counts", "offer_id"), Place(.funnel, "offer_counts", "call"),
        Place(.funnel, "offer_counts", "reason"), Place(.funnel, "ledger_records", "product_id"),
        Place(.funnel, "redemptions", "offer_id"), Place(.funnel, "redemptions", "price", "'x'"),
        Place(.funnel, "redemptions", "currency"), Place(.funnel, "redemptions", "storefront"),
    ]

    /// A database with a row or two of everything.
    private func fill(_ fixture: LedgerFixture) async throws {
        _ = try fixture.store().commit([.of(originalTransactionId: "1", maximumAccounts: 5, at: fixture.now)])
        // A day before the signature, which is left for others.
        let mark = AccountHistoryMark(
            account: Self.account,
            bundleId: Self.bundleId,
            environment: .production,
            asOf: fixture.now
        )
        try fixture.states().learn(seen(redeemed("1", at: fixture.now.adding(days: -1)), mark: mark))
        let decision = CountedDecision(
            .lapsed,
            of: OfferRequest(productId: "monthly", offerId: "comeback50"),
            bundleId: Self.bundleId,
            environment: .production,
            call: .signatures
        )
        try fixture.database().add([decision: 1], on: FunnelPeriod.day(of: fixture.now))
        let price = try #require(Price("0.50"))
        let terms = ObservedTerms(price: price, paymentMode: .payUpFront, unit: .week, count: 3)
        let report = ProductReport(
            productId: "monthly",
            country: try #require(CountryCode("DEU")),
            tag: PriceTag(price: price, currency: try #require(CurrencyCode("EUR")), symbol: nil),
            offers: [ReportedOffer(name: .promotional("comeback50"), terms: terms)]
        )
        #expect(try await fixture.journal().save([report], of: Self.bundleId, at: fixture.now) == [true])
    }

    private func redeemed(_ id: String, at moment: Timestamp) -> Chapter {
        subscription(
            id,
            of: Self.account,
            transactionId: id,
            offer: .promotional("comeback50"),
            bought: moment,
            price: PaidPrice(milliunits: 990, currency: "EUR")
        )
    }

    /// Comes across the value.
    private func call(_ call: Call, _ fixture: LedgerFixture) async throws {
        let country = try #require(CountryCode("DEU"))
        switch call {
        case .held:
            let question = StateQuestion(bundleId: Self.bundleId, account: Self.account)
            _ = try await fixture.states().held([question])[0].get()
        case .redemption:
            try fixture.states().learn(seen(redeemed("2", at: fixture.now.adding(seconds: 60))))
        case .erasure: _ = try fixture.states().erase(stored("reader-1", of: Self.bundleId))
        case .products: _ = try await fixture.journal().products(of: Self.bundleId, in: country)
        case .offersSeen: _ = try await fixture.journal().offersSeen(of: Self.bundleId)
        case .funnel:
            let days = FunnelPeriod(since: nil, until: nil)
            _ = try fixture.database(readOnly: true).funnelFigures(of: days, in: .production)
        }
    }

    @Test("Reading one fails with the name of its column, and the process lives on", arguments: places)
    func malformed(place: Place) async throws {
        let fixture = try LedgerFixture(.sqlite)
        try await fill(fixture)
        if place.call.isRepeatable { try await call(place.call, fixture) }
        for table in place.tables { try fixture.execute("UPDATE \(table) SET \(place.column) = \(place.value)") }
        let failure = await #expect(throws: StorageFailure(.malformed, "")) { try await call(place.call, fixture) }
        #expect(failure?.detail == "a row's \(place.column) is not of its type")
    }
}
