import Foundation
import LedgerFixtures
import Testing

@testable import Offers
@testable import Storage

@Suite("Redemptions as a feed")
struct RedemptionFeedTests {
    private static let start = Timestamp(millisecondsSince1970: 1_795_000_000_000)

    /// What Apple tells of a subscription, so many days after its purchase, which may be under an offer: with the offer of its
    /// next renewal.
    private static func told(
        _ transaction: String,
        of subscription: String,
        minute: Int64,
        after days: Int = 0,
        under offer: String? = nil,
        next: String? = nil,
        app: String = "com.example.reader",
        item: String? = nil
    ) -> StateWork {
        let time = start.adding(seconds: minute * 60)
        let end = time.adding(days: 30)
        var purchase = Transaction(subscription, in: "1", from: time, until: end, called: transaction)
        purchase.offer = offer.map { .promotional($0) }
        purchase.price = PaidPrice(milliunits: 4990, currency: "EUR")
        purchase.storefront = "DEU"
        purchase.webOrderLineItemId = item
        var renewal = RenewalInfo(originalTransactionId: subscription, productId: "monthly", autoRenewStatus: true)
        renewal.offer = next.map { .promotional($0) }
        let said = time.adding(days: days)
        let history = Book(of: app, asOf: said, [renewal], [purchase], .partial)
        let observation = history.remembered(
            presentedFor: .applicationUsername("reader-1"),
            digester: testDigestKey,
            at: said,
            isConfirmed: true
        )
        return StateWork(notification: nil, observation: observation)
    }

    private static func page(
        _ fixture: LedgerFixture,
        after position: Int64 = 0,
        limit: Int = 100,
        app: String = "com.example.reader"
    ) async throws -> [FeedEntry]? {
        try await DurableRedemptions(try fixture.database()).redemptions(of: app, after: position, limit: limit)
    }

    @Test("Pages follow each other, and each app has its own", arguments: LedgerHome.allCases)
    func pages(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        _ = try fixture.store().commit([.of(at: Self.start)])
        let states = try fixture.states()
        for number in 1...5 {
            _ = try states.commit([
                Self.told("\(number)0", of: "\(number)", minute: Int64(10 - number), under: "comeback50")
            ])
        }
        _ = try states.commit([Self.told("60", of: "6", minute: 3, under: "comeback50", app: "other")])
        var position: Int64 = 0
        var found: [String] = []
        while let page = try await Self.page(fixture, after: position, limit: 2), let last = page.last {
            found += page.map(\.redemption.originalTransactionId)
            position = last.position
        }
        #expect(found == ["1", "2", "3", "4", "5"])
        #expect(try await Self.page(fixture, app: "other")?.map(\.redemption.originalTransactionId) == ["6"])
        #expect(try await Self.page(fixture, after: position + 2) == nil)
        let first = try #require(try await Self.page(fixture)?.first)
        #expect(first.redemption.price == PaidPrice(milliunits: 4990, currency: "EUR"))
        #expect(first.redemption.source == .apple)
        #expect(first.nonce != nil)
    }

    @Test("An offer for the next renewal is told when it is taken, and not again", arguments: LedgerHome.allCases)
    func once(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try fixture.states()
        _ = try states.commit([Self.told("10", of: "1", minute: 0, next: "stay")])
        let taken = try #require(try await Self.page(fixture)?.first)
        #expect(taken.redemption.transactionId == nil)
        #expect(taken.redemption.begins == .nextRenewal)
        _ = try states.commit([Self.told("11", of: "1", minute: 60 * 24 * 30, under: "stay")])
        #expect(try await Self.page(fixture, after: taken.position)?.isEmpty == true)
        let begun = try #require(try await Self.page(fixture)?.first)
        #expect(begun.redemption.transactionId == "11")
        #expect(begun.redemption.begins == .nextRenewal)
        #expect(begun.redemption.redeemedAt == taken.redemption.redeemedAt)
        #expect(try fixture.rows("SELECT COUNT(*) FROM redemptions") == ["1"])
    }

    @Test("One that becomes known late takes the place of no other", arguments: LedgerHome.allCases)
    func late(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try fixture.states()
        let month: Int64 = 60 * 24 * 30
        _ = try states.commit([Self.told("10", of: "1", minute: 0)])
        _ = try states.commit([Self.told("11", of: "1", minute: month, after: 12, next: "stay")])
        let taken = try #require(try await Self.page(fixture)?.last)
        _ = try states.commit([Self.told("10", of: "1", minute: 0, after: 5, next: "stay")])
        let told = try #require(try await Self.page(fixture, after: taken.position))
        #expect(told.map(\.redemption.redeemedAt) == [Self.start.adding(days: 5)])
        #expect(try await Self.page(fixture)?.first?.redemption.redeemedAt == taken.redemption.redeemedAt)
    }

    @Test("Copies and repetitions are not told again", arguments: LedgerHome.allCases)
    func copies(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try fixture.states()
        _ = try states.commit([Self.told("70", of: "7", minute: 0, under: "stay", item: "31")])
        let last = try #require(try await Self.page(fixture)?.last?.position)
        _ = try states.commit([Self.told("71", of: "7", minute: 0, under: "stay", item: "31")])
        _ = try states.commit([Self.told("50", of: "5", minute: 0, under: "stay", item: "31")])
        #expect(try await Self.page(fixture)?.map(\.redemption.originalTransactionId) == ["5"])
        #expect(try await Self.page(fixture, after: last)?.isEmpty == true)
    }

    @Test("A cursor stays good when its redemptions are forgotten, and passes none", arguments: LedgerHome.allCases)
    func forgotten(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let states = try fixture.states()
        _ = try states.commit([Self.told("10", of: "1", minute: 0, under: "stay")])
        let last = try #require(try await Self.page(fixture)?.last?.position)
        _ = try states.erase(stored("reader-1"))
        fixture.advance(days: 1)
        #expect(try await Self.page(fixture)?.isEmpty == true)
        _ = try states.commit([Self.told("20", of: "2", minute: 5, under: "stay")])
        #expect(try await Self.page(fixture, after: last)?.map(\.redemption.originalTransactionId) == ["2"])
    }

    @Test("A redemption is told only when none before it can still be written")
    func inOrder() async throws {
        let fixture = try LedgerFixture(.postgresql)
        let other = try fixture.states()
        let database = try fixture.database()
        let (isIn, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // A service that has given a position, and has not committed yet.
        async let slow: Void = DispatchQueue.global().perform { () throws(StorageFailure) in
            try database.transaction(.beside) { session throws(StorageFailure) in
                try session.lock(LockRows.redemptions)
                try session.run(RedemptionFeedSQL.next)
                try session.run(
                    "INSERT INTO redemptions (bundle_id, environment, original_transaction_id, transaction_id, "
                        + "product_id, offer_id, position) SELECT 'com.example.reader', 'Production', '1', '10', "
                        + "'monthly', 'stay', last FROM redemption_feed"
                )
                isIn.signal()
                mayEnd.wait()
            }
        }
        await DispatchQueue.global().perform { isIn.wait() }
        async let next = DispatchQueue.global().perform { () throws(StorageFailure) in
            try other.commit([Self.told("20", of: "2", minute: 5, under: "stay")])
        }
        try await Task.sleep(for: .milliseconds(300))
        #expect(try await Self.page(fixture)?.isEmpty == true)
        mayEnd.signal()
        try await slow
        _ = try await next
        #expect(try await Self.page(fixture)?.map(\.redemption.originalTransactionId) == ["1", "2"])
    }
}
