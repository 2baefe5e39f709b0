import Offers
import StrictJSON
import Testing

@testable import offer_signer

/// The small grammars of single values.
@Suite struct ValueTests {
    /// Known answers: Python's `datetime.fromisoformat`.
    @Test(arguments: [
        ("2026-01-01T00:00:00Z", 1_767_225_600_000), ("2024-02-29T23:59:59.5+02:00", 1_709_243_999_500),
        ("1969-12-31T23:59:59.999Z", -1), ("2000-03-01T00:00:00-11:30", 951_910_200_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ("2016-12-31T12:00:00.123456Z", 1_483_185_600_123), ("2026-01-01t00:00:00z", 1_767_225_600_000),
        ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ])
    func momentsAreRead(_ text: String, _ milliseconds: Int64) throws {
        #expect(try ValueKind<Timestamp>.time.parse(text) == Timestamp(millisecondsSince1970: milliseconds))
    }

    @Test(arguments: [
        "", "2026", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026-1-1T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+0200", "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00Zx", " 2026-01-01T00:00:00Z", "-026-01-01T00:00:00Z", "２026-01-01T00:00:00Z",
    ])
    func malformedMomentsAreRefused(_ text: String) {
        #expect(throws: ValueFault.self) { try ValueKind<Timestamp>.time.parse(text) }
    }

    @Test func identifiersAreAsLongAsARequestCanNameThem() throws {
        let longest = String(repeating: "é", count: 127) + "e"
        #expect(try Identifier.parse(longest) == longest)
        #expect(throws: ValueFault.self) { try Identifier.parse(longest + "e") }
    }

    @Test(arguments: [
        ("prot", "port"), ("prt", "port"), ("Port", "port"), ("porrt", "port"), ("lapsd", nil), ("pxyt", nil),
        ("", nil),
    ])
    func onlyNearNamesAreSuggested(_ name: String, _ nearest: String?) {
        #expect(NearestName.nearest(to: name, among: ["host", "port", "drainDelaySeconds"]) == nearest)
    }
}
