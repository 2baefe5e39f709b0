/// The header fields that mean something here, sorted out of all those of a request.
struct RequestFields: Sendable {
    private(set) var authorization = OnlyField()
    private(set) var contentType = OnlyField()
    /// Whether the body is in a content coding, such as gzip (RFC 9110 §8.4).
    private(set) var hasContentCoding = false
    private(set) var requestID = OnlyField()
    private(set) var requestTimeout = OnlyField()
    private(set) var idempotencyKey = OnlyField()
    private(set) var traceParent = OnlyField()
    private(set) var framing = RequestFraming()

    init() {}

    /// Adds a field, whose value has no white space at its end (RFC 9110 §5.5); at its start the parser leaves none.
    ///
    /// A transfer coding stays as it is written: the parser must not have read another body than is meant.
    mutating func add(_ name: String, _ value: String) {
        // Most names differ in their length, which is at hand.
        switch name.utf8.count {
        case 4 where name.isField("host"): framing.host.add(value)
        case 6 where name.isField("expect"): framing.expectations.append(value.withoutSpaceAtEnd)
        case 7 where name.isField("upgrade"): framing.upgrades = true
        case 11 where name.isField("traceparent"): traceParent.add(value.withoutSpaceAtEnd)
        case 12 where name.isField("content-type"): contentType.add(value.withoutSpaceAtEnd)
        case 12 where name.isField("x-request-id"): requestID.add(value.withoutSpaceAtEnd)
        case 13 where name.isField("authorization"): authorization.add(value.withoutSpaceAtEnd)
        case 14 where name.isField("content-length"): framing.contentLength.add(value.withoutSpaceAtEnd)
        case 15 where name.isField("idempotency-key"): idempotencyKey.add(value.withoutSpaceAtEnd)
        case 16 where name.isField("content-encoding"): hasContentCoding = hasContentCoding || value.namesContentCoding
        case 17 where name.isField("transfer-encoding"): framing.transferCoding.add(value)
        case 28 where name.isField("request-timeout-milliseconds"): requestTimeout.add(value.withoutSpaceAtEnd)
        default: break
        }
    }
}

extension String {
    fileprivate var withoutSpaceAtEnd: String {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let last = utf8.last, isSpace(last) else { return self }
        return utf8.lastIndex { !isSpace($0) }.map { String(self[...$0]) } ?? ""
    }

    /// Whether a coding is listed here other than `identity`, which is none.
    fileprivate var namesContentCoding: Bool {
        split(separator: ",").contains { name in
            let name = name.filter { $0 != " " && $0 != "\t" }
            return !name.isEmpty && name.lowercased() != "identity"
        }
    }

    /// Whether this is a field's name in any case; `name` is in lowercase, of letters and hyphens.
    fileprivate func isField(_ name: StaticString) -> Bool {
        var own = self
        return own.withUTF8 { own in
            guard own.count == name.utf8CodeUnitCount else { return false }
            // A hyphen keeps its bit, and a letter loses its case.
            for index in own.indices where own[index] | 0x20 != name.utf8Start[index] { return false }
            return true
        }
    }
}

/// The header fields that decide where a request begins and ends, and whether another may follow.
struct RequestFraming: Sendable {
    var host = OnlyField()
    var contentLength = OnlyField()
    var transferCoding = OnlyField()
    var expectations: [String] = []
    /// Whether another protocol is asked for.
    var upgrades = false

    init() {}
}

/// A header field that counts only where it is there once: of two values either may be meant.
struct OnlyField: Sendable {
    private var first: String?
    private var isRepeated = false

    init() {}

    /// Whether there is such a field, once or more often.
    var isThere: Bool { first != nil }

    /// Whether there is no such field, or one.
    var isUnambiguous: Bool { !isRepeated }

    /// The value of the only such field; `nil` where there is none, or more than one.
    var value: String? { isRepeated ? nil : first }

    mutating func add(_ value: String) {
        isRepeated = first != nil
        if !isRepeated { first = value }
    }
}
