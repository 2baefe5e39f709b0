import Testing

@testable import OfferAPI

@Suite("Dates as HTTP writes them")
struct HTTPDateTests {
    // The first is RFC 9110's example; the others are what `date -u` writes.
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"), (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    ])
    func known(seconds: Int, text: String) { #expect(HTTPDate.text(secondsSince1970: seconds) == text) }

    @Test("The date is that of the clock, whichever way it goes")
    func now() {
        var seconds = 784_111_777
        let date = HTTPDate { seconds }
        for (step, text) in [
            (0, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (1, "Sun, 06 Nov 1994 08:49:38 GMT"), (-2, "Sun, 06 Nov 1994 08:49:36 GMT"),
        ] {
            seconds += step
            #expect(date.now() == text)
        }
    }
}
