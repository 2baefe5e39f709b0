import Testing

@testable import Offers

@Suite("What Apple said, joined")
struct BookTests {
    private static let hour = 1.0 / 24

    /// Something that was said of one subscription: copies of a transaction agree in what never changes, and may be silent.
    private func chapter(_ random: inout SeededGenerator) -> Chapter {
        let number = Int.random(in: 0..<4, using: &random)
        let date = day(Double(Int.random(in: -30...0, using: &random)) / 10)
        // The last one begins later than some of the dates.
        var transaction = bought(
            on: Double(number * 30) - 91,
            until: Double(number * 30) - 61,
            by: Bool.random(using: &random) ? Account.alice.view.digest?.pseudonym.lowercased : nil,
            under: number == 2 && Bool.random(using: &random) ? .promotional("once") : nil,
            called: "\(number)",
            because: Bool.random(using: &random) ? .renewal : nil
        )
        if date > day(-1.5), number == 1 { transaction.revocationDate = day(-1.5) }
        if Bool.random(using: &random) { transaction.webOrderLineItemId = "w\(number)" }
        if Bool.random(using: &random) { transaction.price = PaidPrice(milliunits: 4990, currency: "EUR") }
        let source: Source = Bool.random(using: &random) ? .signature : .answer
        let isClients = Int.random(in: 0..<5, using: &random) == 0
        let presenter = (Bool.random(using: &random) ? Account.alice : .bob).view.digest
        var renewal: Statement<RenewalInfo?>?
        if Bool.random(using: &random) {
            let isThere = Int.random(in: 0..<4, using: &random) > 0
            renewal = Statement(isThere ? entry(renews: Bool.random(using: &random)) : nil, asOf: date, by: source)
        }
        return Chapter(
            identity("1"),
            transactions: isClients ? [] : [Statement(transaction, asOf: date, by: source)],
            renewal: isClients ? nil : renewal,
            shown: isClients && transaction.offer != nil ? [transaction] : [],
            accounts: presenter.map { [$0: isClients ? .redeemed : .bought] } ?? [:],
            linked: Set(["7", "8", "9"].filter { _ in Bool.random(using: &random) }),
            confirmed: source == .answer ? date : nil
        )
    }

    @Test("Joining is commutative, associative and idempotent", arguments: 0..<3000 as Range<UInt64>)
    func laws(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (a, b, c) = (chapter(&random).bounded(), chapter(&random).bounded(), chapter(&random).bounded())
        #expect(a.joining(b) == b.joining(a))
        #expect(a.joining(b).joining(c) == a.joining(b.joining(c)))
        #expect(a.joining(a) == a)
        let all = a.joining(b).joining(c)
        #expect(all.joining(b) == all)
        #expect(b.joining(c).joining(a).bytes == all.bytes)
    }

    @Test("What is stored is read again, with the moment at which a period was shown first")
    func stored() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let joined = chapter(&random).joining(chapter(&random)).joining(chapter(&random))
            #expect(try Chapter(joined.identity, bytes: joined.bytes) == joined)
        }
    }

    /// A period that began an hour ago, shown first 21 hours ago and signed again since, and what was said of its renewal.
    private func held(said date: Double) -> Chapter {
        let begun = bought(on: -Self.hour, until: 30, by: Account.alice.payloadField, called: "2", because: .renewal)
        let renewal = entry(renews: false)
        return OffersTests.held([
            observation(signed(begun, on: -21 * Self.hour), for: .alice),
            observation(signed(begun, renewal, on: date), for: .alice), observation(signed(begun, on: 0), for: .alice),
        ]).chapters[0]
    }

    private func decide(_ chapter: Chapter, _ offer: String) -> Reason {
        let book = Book(held: Book(chapters: [chapter]), of: exampleApp(), for: Account.alice.view)
        return OffersTests.decide(book, offer, limit: 0)
    }

    @Test(
        "A renewal that was said once the period was shown stays the last word, however often a device signs it again"
    )
    func lastWord() {
        #expect(decide(held(said: -16 * Self.hour), "stay") == .activeAutoRenewOff)
    }

    @Test("Of what 0.3.0 stored, a renewal of the day before the period may know it: an offer has to hold by both")
    func shownSinceUnknown() throws {
        func before(_ chapter: Chapter) throws -> Chapter {
            try Chapter(chapter.identity, bytes: [2] + chapter.bytes.dropFirst())
        }
        let day = try before(held(said: -16 * Self.hour))
        #expect(day.transactions.map(\.shownSince) == [nil])
        #expect(decide(day, "anyone") == .activeAutoRenewOff)
        #expect(decide(day, "stay") == .stateNotInAudience)
        var older = try before(held(said: -16 * Self.hour))
        older.renewal?.asOf = OffersTests.day(-26 * Self.hour)
        #expect(decide(older, "anyone") == .active)
        // What is said of it again leaves open when it was shown first.
        let again = observation(signed(bought(on: -Self.hour, until: 30, called: "2"), on: 0)).chapters[0]
        #expect(day.joining(again).transactions.map(\.shownSince) == [nil])
    }
}
