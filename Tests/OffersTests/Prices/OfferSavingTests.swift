import Offers
import Testing

@Suite("An offer's saving in each period")
struct OfferSavingTests {
    typealias Terms = (price: String, mode: PaymentMode, unit: PeriodUnit, count: Int)

    /// A price, an offer, the billing period, and what is saved: money and per cent, or nothing that can be said.
    typealias Case = (price: String, currency: String, terms: Terms, period: SubscriptionPeriod?, saved: String?)

    @Test(
        "Money and per cent, rounded down",
        arguments: [
            ("10.00", "EUR", ("5.00", .payAsYouGo, .month, 3), nil, "5.00 50"),
            ("9.99", "USD", ("6.66", .payAsYouGo, .month, 1), nil, "3.33 33"),
            ("1000", "JPY", ("667", .payAsYouGo, .month, 1), nil, "333 33"),
            ("9.99", "USD", ("0", .freeTrial, .week, 1), nil, "9.99 100"),
            ("10", "USD", ("30", .payUpFront, .month, 6), .months(1), "5.00 50"),
            ("10", "USD", ("20", .payUpFront, .month, 3), .months(1), "3.33 33"),
            ("20", "USD", ("60", .payUpFront, .year, 1), .months(3), "5.00 25"),
            ("2", "USD", ("3", .payUpFront, .week, 2), .days(7), "0.50 25"),
            ("10", "USD", ("30", .payUpFront, .month, 6), nil, nil),
            ("2", "USD", ("5", .payUpFront, .month, 1), .days(7), nil),
            ("5", "USD", ("6", .payAsYouGo, .month, 1), nil, nil),
            ("5", "USD", ("5.00", .payAsYouGo, .month, 1), nil, nil),
            ("0", "USD", ("0", .freeTrial, .week, 1), nil, nil),
        ] as [Case]
    )
    func saving(_ row: Case) throws {
        let saving = OfferSaving(
            by: ObservedTerms(
                price: try #require(Price(row.terms.price)),
                paymentMode: row.terms.mode,
                unit: row.terms.unit,
                count: row.terms.count
            ),
            insteadOf: try #require(Price(row.price)),
            in: try #require(CurrencyCode(row.currency)),
            billedEvery: row.period
        )
        #expect(saving.map { "\($0.perPeriod.text) \($0.percent)" } == row.saved)
    }

    @Test("Pay as you go counts billing periods, the others count units")
    func durations() throws {
        let nothing = try #require(Price("0"))
        func duration(_ mode: PaymentMode, _ unit: PeriodUnit, _ count: Int) -> String? {
            ObservedTerms(price: nothing, paymentMode: mode, unit: unit, count: count).duration(
                billedEvery: .months(3)
            )?
            .iso8601
        }
        #expect(duration(.payAsYouGo, .month, 2) == "P6M")
        #expect(duration(.payUpFront, .month, 2) == "P2M")
        #expect(duration(.freeTrial, .day, 3) == "P3D")
        #expect(duration(.freeTrial, .year, 1) == "P1Y")
    }

    @Test(
        "Periods are read as ISO 8601 writes them",
        arguments: [
            ("P1M", SubscriptionPeriod.months(1)), ("P1Y", .months(12)), ("P12M", .months(12)), ("P1W", .days(7)),
            ("P3D", .days(3)), ("P0M", nil), ("P", nil), ("1M", nil), ("P1H", nil), ("PT1M", nil), ("P1M2D", nil),
            ("P-1M", nil), ("P+1M", nil), ("P99999999999999999999M", nil), ("p1m", nil), ("", nil),
        ] as [(String, SubscriptionPeriod?)]
    )
    func periods(text: String, period: SubscriptionPeriod?) {
        #expect(SubscriptionPeriod(iso8601: text) == period)
    }
}
