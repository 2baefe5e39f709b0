/// Which trace a request is a part of: `traceparent` of W3C's Trace Context.
struct TraceParent: Equatable, Sendable {
    /// The trace, 32 hexadecimal digits.
    let traceId: String
    /// The field's value, to be passed on: this service adds no spans of its own.
    let text: String

    /// Reads the field (Trace Context §3.2).
    ///
    /// - Parameter value: `00-` trace, `-` parent, `-` flags, in lowercase hexadecimal. A later version may have more
    ///   behind them, which is not passed on.
    init?(_ value: String) {
        let parts = value.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, zip(parts, [2, 32, 16, 2]).allSatisfy({ Self.isHexadecimal($0, count: $1) }),
            parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        traceId = String(parts[1])
        text = "00-\(parts[1])-\(parts[2])-\(parts[3])"
    }

    private static func isHexadecimal(_ text: Substring, count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
