/// The trace that a request belongs to: `traceparent` of W3C's Trace Context.
struct TraceParent: Equatable, Sendable {
    /// The trace, 32 hexadecimal digits.
    let traceId: String
    /// The field's value, to be passed on: this service adds no spans of its own.
    let text: String

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

/// The state of tracing systems beside `traceparent`: `tracestate` of W3C's Trace Context, to be passed on.
struct TraceState: Equatable, Sendable {
    /// List-members of a field (§3.3.1.1).
    static let maximumMembers = 32
    /// Characters that are passed on (§3.3.1.5).
    static let maximumLength = 512
    /// The length from which a list-member is the first to go where that is too much (§3.3.1.5).
    static let largeMember = 128

    let text: String

    /// Reads all such fields in their order (Trace Context §3.3); `nil` for none, and for lists that are not valid.
    init?(_ values: [String]) {
        let listed = values.flatMap { $0.split(separator: ",") }.map(Self.trimmed).filter { !$0.isEmpty }
        guard (1...Self.maximumMembers).contains(listed.count), listed.allSatisfy(Self.isMember),
            Set(listed.map(Self.key)).count == listed.count
        else { return nil }
        var members = listed
        while Self.length(of: members) > Self.maximumLength {
            let large = members.lastIndex { $0.utf8.count > Self.largeMember }
            members.remove(at: large ?? members.count - 1)
        }
        text = members.joined(separator: ",")
    }

    private static func length(of members: [Substring]) -> Int {
        members.reduce(members.count - 1) { $0 + $1.utf8.count }
    }

    private static func key(of member: Substring) -> Substring { member.prefix { $0 != "=" } }

    /// Without the white space around it, spaces and tabs.
    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first.map(isSpace) == true { text.removeFirst() }
        while text.last.map(isSpace) == true { text.removeLast() }
        return text
    }

    private static func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }

    /// Whether this is a key, an equals sign and a value (§3.3.1.3).
    private static func isMember(_ text: Substring) -> Bool {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        let (key, value) = (parts[0].utf8, parts[1].utf8)
        return (1...256).contains(key.count) && key.first.map(isLowercaseOrDigit) == true
            && key.allSatisfy { isLowercaseOrDigit($0) || "_-*/@".utf8.contains($0) }
            && (1...256).contains(value.count)
            && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
    }

    private static func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
