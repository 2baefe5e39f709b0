import Testing

@testable import OfferAPI

@Suite("tracestate")
struct TraceStateTests {
    private static let long = String(repeating: "v", count: 200)
    private static let faults: [String] = [
        "", ",", "a", "a=", "=1", "A=1", "a=1,a=2", "a=1=2", "a=\u{7F}", "a=ü", "-a=1", "a b=1",
        "a=\(long)\(long)", (0..<33).map { "k\($0)=v" }.joined(separator: ","),
    ]

    @Test("a valid one is passed on in its order, several fields as one list")
    func valid() {
        #expect(
            TraceState(["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"])?.text == "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"
        )
        #expect(TraceState(["a=1 ,\t b_-*/=x y", "", "1t@v=!~"])?.text == "a=1,b_-*/=x y,1t@v=!~")
        let most = (0..<32).map { "k\($0)=v" }.joined(separator: ",")
        #expect(TraceState([most])?.text == most)
    }

    @Test(
        "of more than 512 characters, the large ones go first, the last of them before the others; then the last ones"
    )
    func tooLong() {
        #expect(
            TraceState(["a=\(Self.long),b=2,c=\(Self.long),d=\(Self.long),e=5"])?.text
                == "a=\(Self.long),b=2,c=\(Self.long),e=5"
        )
        let small = (0..<32).map { "k\($0)=" + String(repeating: "v", count: 20) }
        let passed = TraceState(small)?.text ?? ""
        #expect(passed.utf8.count <= 512)
        #expect(passed.split(separator: ",").map(String.init) == Array(small.prefix(20)))
    }

    @Test(
        "what is not valid is left out as a whole",
        arguments: faults
    )
    func invalid(value: String) {
        #expect(TraceState([value]) == nil)
    }
}
