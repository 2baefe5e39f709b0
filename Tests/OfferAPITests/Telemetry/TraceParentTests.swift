import Testing

@testable import OfferAPI

@Suite("traceparent")
struct TraceParentTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "b7ad6b7169203331"

    @Test(
        "a valid one names the trace and the caller's span; of a later version, what is known is read",
        arguments: ["00-\(trace)-\(parent)-01", "cc-\(trace)-\(parent)-00-what-comes"]
    )
    func valid(value: String) throws {
        let known = try #require(TraceParent(value))
        #expect(known.traceId == Self.trace && known.parentId == Self.parent)
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
