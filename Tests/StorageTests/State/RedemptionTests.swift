import Foundation
import LedgerFixtures
import Testing

@testable import Offers
@testable import Storage

@Suite("Redemptions, and the signatures that made them possible")
struct RedemptionTests {
    private static let reader = Account.applicationUsername("reader-1")

    /// The observation that a signed transaction gives of a purchase under an offer.
    private static func observation(
        _ transactionId: String,
        of id: String = "1000",
        at time: Timestamp,
        under offer: RedeemedOffer? = .promotional("comeback50"),
        for account: Account = reader,
        price: PaidPrice? = PaidPrice(milliunits: 4990, currency: "EUR"),
        bundleId: String = "com.example.reader",
        item: String? = nil
    ) -> Book {
        let end = time.adding(days: 30)
        var transaction = Transaction(id, in: "1", from: time, until: end, under: offer, called: transactionId)
        (transaction.price, transaction.storefront) = (price, price == nil ? nil : "DEU")
        transaction.webOrderLineItemId = item
        let renewal = RenewalInfo(originalTransactionId: id, productId: "monthly")
        let history = Book(of: bundleId, asOf: time, [renewal], [transaction], .partial)
        return history.remembered(presentedFor: account, digester: testDigestKey, at: time)
    }

    private func learn(_ observations: [Book], in fixture: LedgerFixture) throws {
        let states = try fixture.states()
        for observation in observations { try states.learn(observation) }
    }

    /// Each redemption's transaction, and the number of the record that it was matched to.
    private func matches(_ fixture: LedgerFixture) throws -> [String] {
        try fixture.rows("SELECT transaction_id, signed_number FROM redemptions ORDER BY transaction_id")
    }

    /// A moment after the start of each fixture's clock.
    private static func minute(_ minute: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: 1_795_000_000_000 + minute * 60_000)
    }

    @Test(
        "A redemption without a signature counts for the limit of its subscription under each identifier",
        arguments: LedgerHome.allCases
    )
    func otherIdentifiers(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        try learn([Self.observation("2", of: "2000", at: Self.minute(10))], in: fixture)
        fixture.advance(days: 1)
        let store = try fixture.store()
        func outcome(_ id: String, _ others: [String] = []) throws -> GrantOutcome? {
            let entry = LedgerEntry.of(
                account: "",
                originalTransactionId: id,
                otherIds: others,
                limit: 1,
                at: fixture.now
            )
            return try store.commit([entry]).first?.first
        }
        #expect(try outcome("2000") == .signatureLimit(count: 1))
        #expect(try outcome("1000", ["2000"]) == .signatureLimit(count: 1))
        #expect(try outcome("1000") == .recorded)
    }

    @Test("An offer that goes on under another original id is one redemption", arguments: LedgerHome.allCases)
    func moved(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        var renewal = Transaction("999", in: "1", from: Self.minute(20), until: Self.minute(30), called: "2")
        renewal.offer = .promotional("comeback50")
        (renewal.reason, renewal.previousOriginalTransactionId) = (.renewal, "1000")
        let entry = RenewalInfo(originalTransactionId: "999", productId: "monthly")
        let moved = Book(of: "com.example.reader", asOf: Self.minute(20), [entry], [renewal], .partial)
            .remembered(digester: testDigestKey, at: Self.minute(20))
        try learn([Self.observation("1", at: Self.minute(10)), moved], in: fixture)
        #expect(try matches(fixture) == ["1 -"])
        // Without what it goes on from it is told.
        let other = try LedgerFixture(home)
        try learn([moved], in: other)
        #expect(try matches(other) == ["2 -"])
    }

    /// What was signed, what is learnt then in each of the orders, and each redemption with the number of its record.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let signed: [LedgerEntry]
        let learnt: [Book]
        let orders: [[Int]]
        let matches: [String]

        init(_ name: String, signed: [LedgerEntry], learnt: [Book], orders: [[Int]]? = nil, matches: [String]) {
            (testDescription, self.signed, self.learnt, self.matches) = (name, signed, learnt, matches)
            self.orders = orders ?? [Array(learnt.indices)]
        }
    }

    private static let cases = [
        Case(
            "It is matched to the newest signature before it, however old",
            signed: [0, 5, 20].map { .of(at: minute($0)) },
            learnt: [observation("1", at: minute(10)), observation("2", of: "2000", at: minute(60 * 24 * 300))],
            matches: ["1 2", "2 3"]
        ),
        Case(
            "A clock that is ahead of Apple's by some minutes hides no signature",
            signed: [2, 4].map { .of(at: minute($0)) },
            learnt: [observation("1", at: minute(1)), observation("2", of: "2000", at: minute(3))],
            matches: ["1 1", "2 2"]
        ),
        Case(
            "A signature for another account, app or offer, or after the purchase, is no match",
            signed: [
                .of(account: "somebody-else", originalTransactionId: "77", at: minute(0)),
                .of(offer: "other", at: minute(0)), .of(at: minute(20)),
                .of(account: "", originalTransactionId: "78", at: minute(0)),
            ],
            learnt: [
                observation("1", at: minute(10)),
                observation("9", of: "9", at: minute(30), bundleId: "com.example.other"),
            ],
            matches: ["1 -", "9 -"]
        ),
        Case(
            "Without account, and for one order of a customer with many, the subscription finds it",
            signed: [.of(account: "", originalTransactionId: "1000", at: minute(0))]
                + [8, 9].map {
                    .of(
                        account: "4711-\($0)",
                        customer: "4711",
                        originalTransactionId: "\($0 - 6)000",
                        maximumAccounts: 3,
                        at: minute(Int64($0) - 7)
                    )
                },
            learnt: [
                observation("1", at: minute(10), for: .none),
                observation("2", of: "2000", at: minute(10), for: .applicationUsername("4711-8")),
            ],
            matches: ["1 1", "2 2"]
        ),
        Case(
            "A copy of a redeemed purchase is the same redemption, whichever came first",
            signed: [.of(at: minute(0)), .of(at: minute(1))],
            learnt: [
                observation("1", at: minute(10), item: "31"), observation("2", at: minute(10), item: "31"),
                observation("7", of: "7000", at: minute(10), item: "31"),
            ],
            orders: [[0, 1, 2], [2, 1, 0], [1, 0, 2]],
            matches: ["1 2"]
        ),
        // The fourth is a renewal under the same offer.
        Case(
            "Neither order nor repetition of deliveries changes which signature belongs to which redemption",
            signed: [0, 5].map { .of(at: minute($0)) },
            learnt: [
                observation("1", at: minute(8)), observation("2", at: minute(10), under: nil),
                observation("3", at: minute(12)), observation("4", at: minute(13)),
            ],
            orders: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1, 0, 2]],
            matches: ["1 2", "3 1"]
        ),
    ]

    @Test("A redemption finds the signature that made it possible", arguments: LedgerHome.allCases, cases)
    func matched(home: LedgerHome, known: Case) throws {
        for order in known.orders {
            let fixture = try LedgerFixture(home)
            _ = try fixture.store().commit(known.signed)
            try learn(order.map { known.learnt[$0] }, in: fixture)
            #expect(try matches(fixture) == known.matches, "\(order)")
        }
    }

    @Test(
        "One signature makes one redemption possible; another one counts as signed elsewhere",
        arguments: LedgerHome.allCases
    )
    func limit(home: LedgerHome) async throws {
        let fixture = try LedgerFixture(home)
        let store = try fixture.store()
        _ = try store.commit([.of(limit: 3, at: Self.minute(0))])
        try learn([Self.observation("1", at: Self.minute(10))], in: fixture)
        func asked(at minute: Int64) throws -> GrantOutcome? {
            try store.commit([.of(limit: 3, at: Self.minute(minute))]).first?.first
        }
        func countedSignatures() async throws -> Int? {
            let offer = OfferRequest(productId: "monthly", offerId: "comeback50")
            let question = LedgerQuestion.of("reader-1", limit: 3, at: Self.minute(30))
            return try await store.answer(to: question).signatures[offer]
        }
        #expect(try await countedSignatures() == 1)
        try learn(
            [
                Self.observation("2", at: Self.minute(11), under: nil), Self.observation("3", at: Self.minute(12)),
                Self.observation("1", at: Self.minute(10)),
            ],
            in: fixture
        )
        #expect(try matches(fixture) == ["1 1", "3 -"])
        #expect(try await countedSignatures() == 2)
        #expect(try asked(at: 20) == .recorded)
        #expect(try asked(at: 21) == .signatureLimit(count: 3))
    }

    @Test(
        "A price that Apple signed stays when verifyReceipt, which has none, is asked later",
        arguments: LedgerHome.allCases
    )
    func price(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        let later = Book(
            chapters: Self.observation("1", at: Self.minute(10), price: nil).chapters.map { held in
                Chapter(
                    held.identity,
                    transactions: held.transactions.map { Statement($0.content, asOf: Self.minute(50), by: .answer) }
                )
            }
        )
        try learn([Self.observation("1", at: Self.minute(10)), later], in: fixture)
        #expect(try fixture.rows("SELECT price, currency, storefront FROM redemptions") == ["4990 EUR DEU"])
    }

    @Test(
        "Evidence that names a thousand accounts leaves few, and the signature behind a redemption is found by them",
        arguments: LedgerHome.allCases
    )
    func manyAccounts(home: LedgerHome) throws {
        let fixture = try LedgerFixture(home)
        func token(_ number: Int) -> String { "00000000-0000-4000-8000-\(100_000_000_000 + number)" }
        _ = try fixture.store().commit([
            .of(account: token(998), originalTransactionId: "77", at: Self.minute(0)),
            .of(account: token(4), originalTransactionId: "77", at: Self.minute(0)),
        ])
        let transactions = (0..<1000).map { number in
            Transaction(
                "1000",
                in: "1",
                from: Self.minute(Int64(number)),
                until: Self.minute(Int64(number) + 1),
                by: AppAccountToken(token(number)),
                under: number.isMultiple(of: 2) ? .promotional("comeback50") : nil,
                called: "\(number + 1000)"
            )
        }
        let renewal = RenewalInfo(originalTransactionId: "1000", productId: "monthly")
        let history = Book(of: "com.example.reader", asOf: Self.minute(1000), [renewal], transactions)
        let observation = history.remembered(digester: testDigestKey, at: Self.minute(1000))
        try learn([observation], in: fixture)
        let accounts = try fixture.rows("SELECT account FROM held_accounts").count
        #expect(accounts < 80)
        #expect(try matches(fixture).contains { $0.hasSuffix(" 1") })
        let held = try #require(observation.chapters.first)
        var match = RedemptionMatch(held, presentedFor: [], digestKey: testDigestKey)
        let all = match.questions
        #expect(all.count == accounts + 1)
        match.filterQuestions(by: all.indices.map { $0 % 2 == 0 })
        #expect(match.questions == all.indices.filter { $0 % 2 == 0 }.prefix(16).map { all[$0] })
    }
}
