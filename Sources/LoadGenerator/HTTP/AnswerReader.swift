import Glibc
import NIOCore

/// Reads HTTP/1.1 answers off a connection, with as little work as can be: the generator shares a machine with the
/// service that it measures.
///
/// NIO's own decoder makes a string of every header field, and has to see every request encoded. Only four things count
/// here: the status, where the body ends (RFC 9112 §6: `Content-Length` or chunked), and whether the connection stays.
struct AnswerReader {
    /// An answer.
    struct Answer {
        /// The status.
        var status: Int
        /// The body.
        var body: ByteBuffer
        /// Whether the service closes the connection.
        var closes: Bool
    }

    /// What came is no HTTP answer.
    struct Malformed: Error {
        /// Why, in a few words.
        let reason: String
    }

    /// The longest head that is read, in bytes.
    static let longestHead = 65_536
    /// The longest body, or chunk of one, in bytes.
    private static let longestBody = 1 << 30

    private var rest: ByteBuffer?
    private var head: Head?
    private var chunks: ByteBuffer?

    private struct Head {
        var status = 0
        var length: Int?
        var isChunked = false
        var closes = false
    }

    /// Takes the bytes that came.
    ///
    /// - Parameter bytes: The bytes.
    mutating func append(_ bytes: ByteBuffer) {
        guard var rest, rest.readableBytes > 0 else {
            rest = bytes
            return
        }
        rest.writeImmutableBuffer(bytes)
        self.rest = rest
    }

    /// The next answer.
    ///
    /// - Returns: The answer; `nil` while it is not all there.
    /// - Throws: ``Malformed``: nothing more can be read then.
    mutating func next() throws(Malformed) -> Answer? {
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

    private mutating func readHead() throws(Malformed) -> Head? {
        guard let buffer = rest, let end = Self.find("\r\n\r\n", in: buffer) else {
            guard (rest?.readableBytes ?? 0) <= Self.longestHead else {
                throw Malformed(reason: "the head is too long")
            }
            return nil
        }
        guard let bytes = rest?.readSlice(length: end + 4) else { return nil }
        let lines = bytes.readableBytesView
        // HTTP/1.1 200
        guard lines.starts(with: "HTTP/1.".utf8), lines.count >= 12 else { throw Malformed(reason: "no HTTP/1.1") }
        var head = Head()
        for digit in lines.dropFirst(9).prefix(3) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { throw Malformed(reason: "no status") }
            head.status = head.status * 10 + Int(digit & 15)
        }
        guard (100..<600).contains(head.status) else { throw Malformed(reason: "no status") }
        for line in lines.split(separator: UInt8(ascii: "\n")).dropFirst() {
            // C and T in either case, and nothing more is looked at.
            switch line.first.map({ $0 | 0x20 }) {
            case UInt8(ascii: "c"):
                if let value = Self.value(of: "content-length:", in: line) {
                    guard let length = Int(value) else { throw Malformed(reason: "no Content-Length") }
                    head.length = length
                } else if Self.value(of: "connection:", in: line) == "close" {
                    head.closes = true
                }
            case UInt8(ascii: "t"):
                if Self.value(of: "transfer-encoding:", in: line) == "chunked" { head.isChunked = true }
            default: break
            }
        }
        let hasNoBody = head.status == 204 || head.status == 304 || head.status < 200
        guard head.isChunked || head.length != nil || hasNoBody else { throw Malformed(reason: "no Content-Length") }
        guard (0...Self.longestBody).contains(head.length ?? 0) else { throw Malformed(reason: "no Content-Length") }
        return head
    }

    /// Reads the chunks that are there (RFC 9112 §7.1); the body when the last one is.
    private mutating func readChunks() throws(Malformed) -> ByteBuffer? {
        var body = chunks ?? ByteBuffer()
        while var buffer = rest, let end = Self.find("\r\n", in: buffer), let line = buffer.readString(length: end) {
            guard let size = Int(line.prefix { $0 != ";" && $0 != " " }, radix: 16),
                (0...Self.longestBody).contains(size)
            else {
                throw Malformed(reason: "no chunk size")
            }
            // Trailer fields are not expected: the last chunk ends with an empty line.
            guard buffer.readableBytes >= size + 4 else { break }
            buffer.moveReaderIndex(forwardBy: 2)
            if let chunk = buffer.readSlice(length: size) { body.writeImmutableBuffer(chunk) }
            guard buffer.readString(length: 2) == "\r\n" else { throw Malformed(reason: "no end of a chunk") }
            rest = buffer
            if size == 0 {
                chunks = nil
                return body
            }
        }
        chunks = body
        return nil
    }

    private static func value(of name: String, in line: ByteBufferView) -> String? {
        guard line.count >= name.utf8.count, zip(line, name.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else {
            return nil
        }
        let value = line.dropFirst(name.utf8.count).drop { $0 == 0x20 }.prefix { $0 != 0x0D && $0 != 0x20 }
        return String(decoding: value, as: UTF8.self).lowercased()
    }

    /// Where a text begins in the readable bytes, counted from the first of them.
    private static func find(_ text: StaticString, in buffer: ByteBuffer) -> Int? {
        buffer.withUnsafeReadableBytes { $0.firstOffset(of: text, from: 0) }
    }
}

extension ByteBuffer {
    /// How often a text occurs in the readable bytes.
    ///
    /// - Parameter text: The text.
    /// - Returns: The number of places, none within another.
    func occurrences(of text: StaticString) -> Int {
        withUnsafeReadableBytes { bytes in
            var number = 0
            var start = 0
            while let found = bytes.firstOffset(of: text, from: start) {
                number += 1
                start = found + text.utf8CodeUnitCount
            }
            return number
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Where a text is found, by the C library's search for its first byte: a few bytes a cycle.
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
