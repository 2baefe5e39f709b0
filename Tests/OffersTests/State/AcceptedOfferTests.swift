import Testing

@testable import Offers

@Suite("Offers that customers take for the next renewal")
struct AcceptedOfferTests {
    private static let identity = SubscriptionIdentity(
        bundleId: "reader",
        environment: .production,
        originalTransactionId: "1"
    )

    private static func day(_ day: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: 1_795_000_000_000).adding(days: Int(day))
    }

    /// A purchase on a day, for thirty days.
    private static func bought(
        _ id: String,
        on date: Int64,
        under offer: String? = nil,
        isAnew: Bool = false
    ) -> Transaction {
        Transaction(
            originalTransactionId: "1",
            productId: "monthly",
            subscriptionGroupIdentifier: "pro",
            purchaseDate: day(date),
            expiresDate: day(date + 30),
            offer: offer.map { .promotional($0) },
            transactionId: id,
            reason: date == 0 || isAnew ? .purchase : .renewal
        )
    }

    /// What Apple tells on a day: a transaction, and the offer of the next renewal.
    private static func told(
        _ transaction: Transaction,
        on date: Int64,
        next offer: String? = nil,
        of product: String? = nil
    ) -> Chapter {
        var renewal = RenewalInfo(
            originalTransactionId: "1",
            productId: "monthly",
            autoRenewStatus: true,
            offer: offer.map { .promotional($0) }
        )
        renewal.offerProductId = product
        let history = Shown(
            bundleId: "reader",
            environment: .production,
            asOf: day(date),
            renewals: [renewal],
            transactions: [transaction],
            coverage: .partial
        )
        let observation = history.book.remembered(digester: TestDigester(), at: day(date), isConfirmed: true)
        return observation.chapters.first ?? Chapter(identity)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let told: [Chapter]
        /// Each redemption: its offer, its transaction, the day, and when it begins.
        let redemptions: [String]
    }

    private static let rows = [
        Row(
            testDescription: "It is a redemption when it is taken, on that day",
            told: [told(bought("10", on: 0), on: 0), told(bought("10", on: 0), on: 12, next: "stay", of: "yearly")],
            redemptions: ["stay - yearly 12 next_renewal"]
        ),
        Row(
            testDescription: "It is the same one once it has begun",
            told: [
                told(bought("10", on: 0), on: 12, next: "stay"),
                told(bought("11", on: 30, under: "stay"), on: 30, next: "stay"),
                told(bought("12", on: 60, under: "stay"), on: 60),
            ],
            redemptions: ["stay 11 monthly 12 next_renewal"]
        ),
        Row(
            testDescription: "Each time that it is taken counts",
            told: [
                told(bought("10", on: 0), on: 12, next: "stay"), told(bought("11", on: 30, under: "stay"), on: 30),
                told(bought("12", on: 60), on: 60), told(bought("12", on: 60), on: 71, next: "stay"),
            ],
            redemptions: ["stay 11 monthly 12 next_renewal", "stay - monthly 71 next_renewal"]
        ),
        Row(
            testDescription: "What Apple repeats of it changes neither number nor day",
            told: [
                told(bought("10", on: 0), on: 12, next: "stay"), told(bought("10", on: 0), on: 14, next: "stay"),
                told(bought("10", on: 0), on: 20, next: "stay"),
            ],
            redemptions: ["stay - monthly 12 next_renewal"]
        ),
        Row(
            testDescription: "It stays the same one when another purchase comes before its renewal",
            told: [
                told(bought("10", on: 0), on: 12, next: "stay"), told(bought("11", on: 15), on: 15, next: "stay"),
                told(bought("12", on: 45, under: "stay"), on: 45),
            ],
            redemptions: ["stay 12 monthly 12 next_renewal"]
        ),
        Row(
            testDescription: "It stays the same one where the period before it was charged before it was taken",
            told: [
                told(bought("10", on: 0), on: 29, next: "stay"), told(bought("11", on: 30), on: 40, next: "stay"),
                told(bought("12", on: 60, under: "stay"), on: 60),
            ],
            redemptions: ["stay 12 monthly 29 next_renewal"]
        ),
        Row(
            testDescription: "After a renewal without it, it is taken anew",
            told: [
                told(bought("10", on: 0), on: 12, next: "stay"), told(bought("11", on: 30), on: 30),
                told(bought("11", on: 30), on: 40, next: "stay"), told(bought("12", on: 60, under: "stay"), on: 60),
            ],
            redemptions: ["stay - monthly 12 next_renewal", "stay 12 monthly 40 next_renewal"]
        ),
        Row(
            testDescription: "One that was let go is not begun by a later purchase under it",
            told: [
                told(bought("10", on: 0), on: 12, next: "stay"), told(bought("10", on: 0), on: 20),
                told(bought("11", on: 60, under: "stay", isAnew: true), on: 60),
            ],
            redemptions: ["stay - monthly 12 next_renewal", "stay 11 monthly 60 now"]
        ),
        Row(
            testDescription: "A purchase under an offer that nobody took before begins at once",
            told: [told(bought("10", on: 0, under: "stay"), on: 0, next: "stay")],
            redemptions: ["stay 10 monthly 0 now"]
        ),
        Row(
            testDescription: "Of two that were taken one after the other, the one that is renewed begins",
            told: [
                told(bought("10", on: 0), on: 12, next: "stay"), told(bought("10", on: 0), on: 14, next: "back"),
                told(bought("11", on: 30, under: "back"), on: 30),
            ],
            redemptions: ["stay - monthly 12 next_renewal", "back 11 monthly 14 next_renewal"]
        ),
    ]

    private static func summary(_ held: Chapter?) -> [String] {
        (held?.redemptions ?? []).map { redemption in
            let date = redemption.redeemedAt?.millisecondsSince1970 ?? 0
            let day = (date - day(0).millisecondsSince1970) / 86_400_000
            let begins = redemption.begins.rawValue
            return "\(redemption.offerId) \(redemption.transactionId ?? "-") \(redemption.productId) \(day) \(begins)"
        }
    }

    @Test("A redemption is one, in whatever order and however often Apple tells of it", arguments: rows)
    func redemptions(row: Row) throws {
        for order in [row.told, row.told.reversed(), row.told + row.told] {
            let held = order.reduce(nil as Chapter?) { known, seen in
                var merged = known ?? seen
                merged.join(seen)
                return merged
            }
            #expect(Self.summary(held) == row.redemptions)
            let kept = try #require(held)
            #expect(try Chapter(Self.identity, bytes: kept.bytes) == kept)
        }
    }

    @Test("That an offer was taken is news")
    func news() {
        let before = Self.told(Self.bought("10", on: 0), on: 12)
        var after = before
        after.join(Self.told(Self.bought("10", on: 0), on: 12, next: "stay"))
        #expect(!after.isNoNews(after: before))
    }
}
