package import Foundation
import Synchronization

/// An HTTP server on a free port of this machine that answers as a test tells it, each connection on a thread of its own.
package final class FakeServer: Sendable {
    /// A request as it came: the path has its query, and the header fields have lowercase names.
    package struct Request: Sendable {
        package let method: String
        package let path: String
        package let headers: [String: String]
        package let body: Data
    }

    /// An answer after a delay in seconds, whose body goes out at once or at a rate; or the end of the connection instead.
    ///
    /// The length is always one of its header fields.
    package struct Reply: Sendable {
        let status: Int
        let headers: [String: String]
        let body: Data
        let delay: TimeInterval
        let bytesPerSecond: Int?
        let closes: Bool

        package init(
            _ status: Int = 200,
            headers: [String: String] = [:],
            _ body: String = "{}",
            delay: TimeInterval = 0,
            bytesPerSecond: Int? = nil,
            closes: Bool = false
        ) {
            (self.status, self.headers) = (status, headers)
            self.body = Data(body.utf8)
            (self.delay, self.bytesPerSecond, self.closes) = (delay, bytesPerSecond, closes)
        }
    }

    package let port: UInt16

    private let listener: Int32
    private let answer: @Sendable (Request) -> Reply
    private let seen = Mutex<[Request]>([])

    /// The closure answers on many threads.
    package init(_ answer: @escaping @Sendable (Request) -> Reply) throws {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 128) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            // Closed here, and nowhere else: the number must not become another socket's while this thread uses it.
            defer { close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                guard let server = self else {
                    close(connection)
                    return
                }
                Thread.detachNewThread { server.serve(connection) }
            }
        }
    }

    deinit {
        // Ends accept(), now or whenever the thread comes to call it.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Its address, without a path.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// The requests so far.
    package var requests: [Request] { seen.withLock { $0 } }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var buffer = Data()
        while let request = Self.read(from: connection, &buffer) {
            seen.withLock { $0.append(request) }
            let reply = answer(request)
            Thread.sleep(forTimeInterval: reply.delay)
            if reply.closes { return }
            var head = "HTTP/1.1 \(reply.status) Answer\r\nContent-Length: \(reply.body.count)\r\n"
            for (name, value) in reply.headers { head += "\(name): \(value)\r\n" }
            guard Self.write(Data((head + "\r\n").utf8), to: connection) else { return }
            var rest = reply.body
            while !rest.isEmpty {
                let piece = rest.prefix(reply.bytesPerSecond.map { max($0 / 10, 1) } ?? rest.count)
                guard Self.write(Data(piece), to: connection) else { return }
                rest = rest.dropFirst(piece.count)
                if reply.bytesPerSecond != nil { Thread.sleep(forTimeInterval: 0.1) }
            }
            if reply.headers["Connection"]?.lowercased() == "close" { return }
        }
    }

    private static func read(from connection: Int32, _ buffer: inout Data) -> Request? {
        let separator = Data("\r\n\r\n".utf8)
        while buffer.range(of: separator) == nil {
            guard fill(&buffer, from: connection) else { return nil }
            // A client that speaks TLS gets an answer that does not.
            if buffer.first == 0x16 {
                _ = write(Data("HTTP/1.1 400 No TLS here\r\n\r\n".utf8), to: connection)
                return nil
            }
        }
        guard let end = buffer.range(of: separator) else { return nil }
        let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        buffer = Data(buffer[end.upperBound...])
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let length = Int(headers["content-length"] ?? "0") ?? 0
        while buffer.count < length { guard fill(&buffer, from: connection) else { return nil } }
        let body = Data(buffer.prefix(length))
        buffer = Data(buffer.dropFirst(length))
        let start = lines[0].split(separator: " ")
        guard start.count == 3 else { return nil }
        return Request(method: String(start[0]), path: String(start[1]), headers: headers, body: body)
    }

    private static func fill(_ buffer: inout Data, from connection: Int32) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(connection, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer.append(contentsOf: chunk[..<count])
        return true
    }

    private static func write(_ data: Data, to connection: Int32) -> Bool {
        var rest = data
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = Data(rest.dropFirst(sent))
        }
        return true
    }
}
