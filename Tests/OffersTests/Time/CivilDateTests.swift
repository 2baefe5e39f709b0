import Offers
import Testing

@Suite("Days of the calendar")
struct CivilDateTests {
    @Test(
        "Known days, of Python's proleptic Gregorian calendar",
        arguments: [
            (1, 1, 1, -719_162), (1600, 2, 29, -135_081), (1899, 12, 31, -25_568), (1900, 2, 28, -25_509),
            (1900, 3, 1, -25_508), (1969, 12, 31, -1), (1970, 1, 1, 0), (2000, 2, 29, 11_016),
            (2024, 12, 31, 20_088), (2026, 11, 22, 20_779), (2100, 3, 1, 47_541), (9999, 12, 31, 2_932_896),
        ]
    )
    func known(year: Int64, month: Int64, day: Int64, daysSince1970: Int64) throws {
        let date = try #require(CivilDate(year: year, month: month, day: day))
        #expect(date.daysSince1970 == daysSince1970)
        #expect(CivilDate(daysSince1970: daysSince1970) == date)
    }

    @Test(
        "A day that the calendar does not have is none",
        arguments: [
            (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2026, 1, 32), (2026, 4, 31), (2026, 2, 29), (1900, 2, 29),
            (2000, 2, 30), (.max, 1, 1), (.min, 1, 1),
        ] as [(Int64, Int64, Int64)]
    )
    func missing(year: Int64, month: Int64, day: Int64) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }
}
