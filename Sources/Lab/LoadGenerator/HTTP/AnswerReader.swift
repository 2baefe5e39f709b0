import Glibc
import NIOCore

/// Reads HTTP/1.1 answers off a connection, with as little work as can be: the generator shares a machine with the
/// service that it measures.
///
/// NIO's own decoder makes a string of every header field, and has to see every request encoded. Only four things count
/// here: the status, where the body ends (RFC 9112 §6: `Content-Length` or chunked), and whether the connection stays.
struct AnswerReader {
    struct Answer {
        var status: Int
        var body: ByteBuffer
        /// Whether the service closes the connection.
        var closes: Bool
    }

    /// The longest head that is read, in bytes.
    static let longestHead = 65_536
    /// The longest body, or chunk of one, in bytes.
    static let longestBody = 1 << 30

    private var rest: ByteBuffer?
    private var head: AnswerHead?
    private var chunks: ByteBuffer?

    /// Whether nothing has come that is not read yet.
    var isEmpty: Bool { (rest?.readableBytes ?? 0) == 0 }

    mutating func append(_ bytes: ByteBuffer) {
        guard var rest, rest.readableBytes > 0 else {
            rest = bytes
            return
        }
        rest.writeImmutableBuffer(bytes)
        self.rest = rest
    }

    /// The next answer; `nil` while it is not all there.
    ///
    /// After a fault, nothing more can be read.
    mutating func next() throws(LoadFault) -> Answer? {
        if head == nil { head = try readHead() }
        guard let head else { return nil }
        guard let body = try head.isChunked ? readChunks() : rest?.readSlice(length: head.length ?? 0) else {
            return nil
        }
        // An interim answer, such as 100 Continue, is followed by the real one.
        self.head = nil
        if (100..<200).contains(head.status) { return try next() }
        return Answer(status: head.status, body: body, closes: head.closes)
    }

    private mutating func readHead() throws(LoadFault) -> AnswerHead? {
        guard let buffer = rest, let end = Self.find("\r\n\r\n", in: buffer) else {
            guard (rest?.readableBytes ?? 0) <= Self.longestHead else {
                throw LoadFault("the head is too long")
            }
            return nil
        }
        guard let bytes = rest?.readSlice(length: end + 4) else { return nil }
        return try AnswerHead(bytes.readableBytesUInt8Span)
    }

    /// Reads the chunks that are there (RFC 9112 §7.1); the body when the last one is.
    private mutating func readChunks() throws(LoadFault) -> ByteBuffer? {
        var body = chunks ?? ByteBuffer()
        while var buffer = rest, let end = Self.find("\r\n", in: buffer), let line = buffer.readString(length: end) {
            guard let size = Int(line.prefix { $0 != ";" && $0 != " " }, radix: 16),
                (0...Self.longestBody).contains(size)
            else {
                throw LoadFault("no chunk size")
            }
            if size == 0 {
                // After the line's end come trailer fields, which say nothing here, and an empty line.
                guard let end = Self.find("\r\n\r\n", in: buffer) else {
                    guard buffer.readableBytes <= Self.longestHead else {
                        throw LoadFault("the trailer fields are too long")
                    }
                    break
                }
                buffer.moveReaderIndex(forwardBy: end + 4)
                rest = buffer
                chunks = nil
                return body
            }
            guard buffer.readableBytes >= size + 4 else { break }
            buffer.moveReaderIndex(forwardBy: 2)
            if let chunk = buffer.readSlice(length: size) { body.writeImmutableBuffer(chunk) }
            guard buffer.readString(length: 2) == "\r\n" else { throw LoadFault("no end of a chunk") }
            rest = buffer
        }
        chunks = body
        return nil
    }

    private static func find(_ text: StaticString, in buffer: ByteBuffer) -> Int? {
        buffer.withUnsafeReadableBytes { $0.firstOffset(of: text, from: 0) }
    }
}

extension ByteBuffer {
    /// The number of members of a name, in its quotation marks, whose value is a string.
    ///
    /// Within a string, where quotation marks are escaped, the name is not found.
    func occurrences(ofMember name: StaticString) -> Int {
        withUnsafeReadableBytes { bytes in
            var number = 0
            var start = 0
            while let found = bytes.firstOffset(of: name, from: start) {
                start = bytes.firstOffset(afterSpaceFrom: found + name.utf8CodeUnitCount)
                guard start < bytes.count, bytes[start] == UInt8(ascii: ":") else { continue }
                start = bytes.firstOffset(afterSpaceFrom: start + 1)
                if start < bytes.count, bytes[start] == UInt8(ascii: "\"") { number += 1 }
            }
            return number
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of the first byte that is no space of JSON (RFC 8259 §2).
    fileprivate func firstOffset(afterSpaceFrom start: Int) -> Int {
        var position = start
        while position < count {
            switch self[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return position
            }
        }
        return position
    }

    /// The offset of a text, by the C library's search for its first byte: a few bytes a cycle.
    fileprivate func firstOffset(of text: StaticString, from start: Int) -> Int? {
        guard let base = baseAddress else { return nil }
        let length = text.utf8CodeUnitCount
        var position = start
        while position + length <= count {
            let last = count - length + 1
            guard let found = memchr(base + position, Int32(text.utf8Start.pointee), last - position) else {
                return nil
            }
            position = UnsafeRawPointer(found) - base
            if memcmp(found, text.utf8Start, length) == 0 { return position }
            position += 1
        }
        return nil
    }
}

/// The parts of an answer's head that count here.
struct AnswerHead {
    private(set) var status = 0
    private(set) var length: Int?
    private(set) var isChunked = false
    private(set) var closes = false

    /// Reads the status line and the fields, with the empty line at their end; looks at each byte once.
    init(_ text: Span<UInt8>) throws(LoadFault) {
        // HTTP/1.1 200
        guard text.count >= 12, Self.isHTTP1(text) else { throw LoadFault("no HTTP/1.1") }
        for place in 9..<12 {
            guard let digit = Self.digit(text[place]) else { throw LoadFault("no status") }
            status = status * 10 + digit
        }
        guard (100..<600).contains(status) else { throw LoadFault("no status") }
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
            throw LoadFault("no Content-Length")
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

    private static func length(_ text: Span<UInt8>) throws(LoadFault) -> Int {
        var length = 0
        for place in text.indices {
            guard let digit = digit(text[place]), length <= AnswerReader.longestBody else {
                throw LoadFault("no Content-Length")
            }
            length = length * 10 + digit
        }
        guard !text.isEmpty, length <= AnswerReader.longestBody else {
            throw LoadFault("no Content-Length")
        }
        return length
    }

    /// The range of a field's value, up to the next space; `nil` when the line is another field's.
    private static func value(of name: StaticString, in text: Span<UInt8>, at start: Int) -> Range<Int>? {
        let length = name.utf8CodeUnitCount
        guard text.count - start >= length, isText(name, text.extracting(start..<(start + length))) else { return nil }
        var first = start + length
        while first < text.count, text[first] == 0x20 { first += 1 }
        var end = first
        while end < text.count, text[end] > 0x20 { end += 1 }
        return first..<end
    }

    /// Whether two texts are the same but for their case.
    private static func isText(_ expected: StaticString, _ text: Span<UInt8>) -> Bool {
        guard text.count == expected.utf8CodeUnitCount else { return false }
        return expected.withUTF8Buffer { expected in
            for place in expected.indices where text[place] | 0x20 != expected[place] | 0x20 { return false }
            return true
        }
    }
}
