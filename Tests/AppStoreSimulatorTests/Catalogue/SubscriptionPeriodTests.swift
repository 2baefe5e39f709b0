import Offers
import Testing

@testable import AppStoreSimulator

@Suite("Durations of subscriptions")
struct SubscriptionPeriodTests {
    @Test(
        "A period ends where the calendar says",
        arguments: [
            ("P1M", "2026-01-31T10:00:00Z", 1, "2026-02-28T10:00:00Z"),
            ("P1M", "2024-01-31T10:00:00Z", 1, "2024-02-29T10:00:00Z"),
            ("P1Y", "2024-02-29T00:00:00Z", 1, "2025-02-28T00:00:00Z"),
            ("P1W", "2026-12-29T23:59:59Z", 1, "2027-01-05T23:59:59Z"),
            ("P3D", "2026-02-27T00:00:00Z", 2, "2026-03-05T00:00:00Z"),
            ("P3M", "2026-03-31T00:00:00Z", -1, "2025-12-31T00:00:00Z"),
        ]
    )
    func ends(period: String, start: String, times: Int, end: String) throws {
        let start = try #require(Timestamp(rfc3339: start))
        let period = try #require(SubscriptionPeriod(period))
        #expect(period.after(start, times: times).rfc3339 == end)
    }

    @Test(
        "Other texts are no durations",
        arguments: ["", "P", "P1", "1M", "P0M", "P-1M", "P1H", "P1M2D", "PM", "P367D"]
    )
    func refused(text: String) {
        #expect(SubscriptionPeriod(text) == nil)
    }
}
