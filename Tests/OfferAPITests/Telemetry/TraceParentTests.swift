import Testing

@testable import OfferAPI

@Suite("traceparent")
struct TraceParentTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "b7ad6b7169203331"

    @Test("a valid one is passed on as it is; of a later version, the part that is known")
    func valid() throws {
        let known = try #require(TraceParent("00-\(Self.trace)-\(Self.parent)-01"))
        #expect(known.traceId == Self.trace)
        #expect(known.text == "00-\(Self.trace)-\(Self.parent)-01")
        let later = try #require(TraceParent("cc-\(Self.trace)-\(Self.parent)-00-what-comes"))
        #expect(later.text == "00-\(Self.trace)-\(Self.parent)-00")
    }

    @Test(
        "what the recommendation calls invalid is none",
        arguments: [
            "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-01-more", "ff-\(trace)-\(parent)-01",
            "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent)-1", "00-\(trace.dropLast())-\(parent)-01",
            "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
            "00-\(trace)-\(parent)-0g", "00-\(trace)-\(parent)-01\r\nX: y", " 00-\(trace)-\(parent)-01",
        ]
    )
    func invalid(value: String) {
        #expect(TraceParent(value) == nil)
    }
}
