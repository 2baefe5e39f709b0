import Foundation
import Offers
import Testing

@Suite("Moments")
struct TimestampTests {
    @Test("RFC 3339 as Foundation writes it, from the Gregorian calendar's beginning on")
    func likeFoundation() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let seconds = Int64.random(in: -11_676_096_000...253_402_300_799, using: &generator)
            let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
            #expect(Timestamp(millisecondsSince1970: seconds * 1000 + 999).rfc3339 == expected)
        }
    }

    @Test(
        "Known moments",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_795_262_400_000, "2026-11-21T12:00:00Z"), (4_107_542_399_999, "2100-02-28T23:59:59Z"),
            (Int64.max, "9999-12-31T23:59:59Z"), (Int64.min, "0000-01-01T00:00:00Z"),
        ]
    )
    func known(milliseconds: Int64, text: String) {
        #expect(Timestamp(millisecondsSince1970: milliseconds).rfc3339 == text)
        #expect(Timestamp(millisecondsSince1970: milliseconds).day == String(text.prefix(10)))
    }

    @Test("Adding stops at the ends of the range")
    func adding() {
        #expect(Timestamp(millisecondsSince1970: .max).adding(seconds: 1).millisecondsSince1970 == .max)
        #expect(Timestamp(millisecondsSince1970: .min).adding(seconds: -1).millisecondsSince1970 == .min)
        #expect(clock.adding(seconds: .max).millisecondsSince1970 == .max)
        #expect(Timestamp(millisecondsSince1970: .max).adding(milliseconds: 1).millisecondsSince1970 == .max)
        #expect(Timestamp(millisecondsSince1970: .min).adding(milliseconds: -1).millisecondsSince1970 == .min)
        #expect(clock.adding(milliseconds: -86_400_000) == day(-1))
        #expect(clock.adding(seconds: 86400) == day(1))
        #expect(clock.adding(days: .max).millisecondsSince1970 == .max)
        #expect(clock.adding(days: .min).millisecondsSince1970 == .min)
        #expect(clock.adding(days: -1) == day(-1))
    }
}
