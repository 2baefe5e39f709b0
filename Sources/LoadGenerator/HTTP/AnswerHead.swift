/// What counts of the head of an HTTP/1.1 answer.
struct AnswerHead {
    /// The status.
    private(set) var status = 0
    /// `Content-Length`.
    private(set) var length: Int?
    /// Whether the body comes in chunks.
    private(set) var isChunked = false
    /// Whether the service closes the connection.
    private(set) var closes = false

    /// Reads a head, looking at each byte once.
    ///
    /// - Parameter text: The status line and the fields, with the empty line at their end.
    /// - Throws: ``AnswerReader/Malformed`` when it is none.
    init(_ text: Span<UInt8>) throws(AnswerReader.Malformed) {
        // HTTP/1.1 200
        guard text.count >= 12, Self.isHTTP1(text) else { throw AnswerReader.Malformed(reason: "no HTTP/1.1") }
        for place in 9..<12 {
            guard let digit = Self.digit(text[place]) else { throw AnswerReader.Malformed(reason: "no status") }
            status = status * 10 + digit
        }
        guard (100..<600).contains(status) else { throw AnswerReader.Malformed(reason: "no status") }
        // HTTP/1.0 knows connections that stay only where the answer says so (RFC 9112 §9.3).
        closes = text[7] == UInt8(ascii: "0")
        var place = 12
        while place < text.count {
            place += 1
            guard text[place - 1] == UInt8(ascii: "\n"), place < text.count else { continue }
            // C and T in either case, and nothing more is looked at.
            switch text[place] | 0x20 {
            case UInt8(ascii: "c"):
                if let value = Self.value(of: "content-length:", in: text, at: place) {
                    length = try Self.length(text.extracting(value))
                } else if let value = Self.value(of: "connection:", in: text, at: place) {
                    let option = text.extracting(value)
                    closes = Self.isText("close", option) || (closes && !Self.isText("keep-alive", option))
                }
            case UInt8(ascii: "t"):
                if let value = Self.value(of: "transfer-encoding:", in: text, at: place) {
                    isChunked = isChunked || Self.isText("chunked", text.extracting(value))
                }
            default: break
            }
        }
        let hasNoBody = status == 204 || status == 304 || status < 200
        guard isChunked || length != nil || hasNoBody else {
            throw AnswerReader.Malformed(reason: "no Content-Length")
        }
    }

    private static func isHTTP1(_ text: Span<UInt8>) -> Bool {
        let expected: StaticString = "HTTP/1."
        return expected.withUTF8Buffer { expected in
            for place in expected.indices where text[place] != expected[place] { return false }
            return true
        }
    }

    private static func digit(_ byte: UInt8) -> Int? {
        let value = byte &- UInt8(ascii: "0")
        return value < 10 ? Int(value) : nil
    }

    private static func length(_ text: Span<UInt8>) throws(AnswerReader.Malformed) -> Int {
        var length = 0
        for place in text.indices {
            guard let digit = digit(text[place]), length <= AnswerReader.longestBody else {
                throw AnswerReader.Malformed(reason: "no Content-Length")
            }
            length = length * 10 + digit
        }
        guard !text.isEmpty, length <= AnswerReader.longestBody else {
            throw AnswerReader.Malformed(reason: "no Content-Length")
        }
        return length
    }

    /// Where a field's value is, up to the next space; `nil` when the line is another field's.
    private static func value(of name: StaticString, in text: Span<UInt8>, at start: Int) -> Range<Int>? {
        let length = name.utf8CodeUnitCount
        guard text.count - start >= length, isText(name, text.extracting(start..<(start + length))) else { return nil }
        var first = start + length
        while first < text.count, text[first] == 0x20 { first += 1 }
        var end = first
        while end < text.count, text[end] > 0x20 { end += 1 }
        return first..<end
    }

    /// Whether a text is another, in either case.
    private static func isText(_ expected: StaticString, _ text: Span<UInt8>) -> Bool {
        guard text.count == expected.utf8CodeUnitCount else { return false }
        return expected.withUTF8Buffer { expected in
            for place in expected.indices where text[place] | 0x20 != expected[place] | 0x20 { return false }
            return true
        }
    }
}
