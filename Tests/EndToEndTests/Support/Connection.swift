import Foundation

/// A response as it came over the socket; the head is the status line and the header fields.
struct Response: Sendable {
    let head: String
    let status: Int
    let headers: [String: String]
    let body: Data

    /// The body as a JSON object; empty when it is none.
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }

    var decisions: [[String: Any]] { json["decisions"] as? [[String: Any]] ?? [] }
    /// Status and code of a problem.
    var summary: String { "\(status) \(json["code"] as? String ?? "")" }
}

/// A TCP connection that speaks just enough HTTP/1.1, and lets a test send what no client library would.
final class Connection {
    struct Address: Sendable {
        let port: UInt16
    }

    private let descriptor: Int32
    private var buffer = Data()

    init(to address: Address) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var remote = sockaddr_in()
        remote.sin_family = sa_family_t(AF_INET)
        remote.sin_port = address.port.bigEndian
        remote.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &remote) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard connected == 0 else { throw Failure(text: "cannot connect: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws { try send(Data(text.utf8)) }

    func send(_ bytes: Data) throws {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { throw Failure(text: "cannot send: \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(sent)
        }
    }

    /// Sends a request, with the client's token and the type of JSON by default, and reads the response.
    func request(
        _ method: String,
        _ path: String,
        headers: [String] = ["Authorization: Bearer \(Installation.token)", "Content-Type: application/json"],
        body: String = ""
    ) throws -> Response {
        let fields = ["Host: localhost", "Content-Length: \(body.utf8.count)"] + headers
        try send("\(method) \(path) HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n\(body)")
        return try receive(hasBody: method != "HEAD")
    }

    /// The text of a POST with the client's token, and with more fields, each with its end.
    static func post(_ body: String, to path: String = "/v1/signatures", fields: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Installation.token)\r\n\(fields)"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Reads a response, or the head of one that no body follows.
    func receive(hasBody: Bool = true) throws -> Response {
        let separator = Data("\r\n\r\n".utf8)
        while buffer.range(of: separator) == nil { try fill() }
        guard let end = buffer.range(of: separator) else { throw Failure(text: "no head") }
        let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        buffer = Data(buffer[end.upperBound...])
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        let length = hasBody ? Int(headers["content-length"] ?? "0") ?? 0 : 0
        while buffer.count < length { try fill() }
        let body = Data(buffer.prefix(length))
        buffer = Data(buffer.dropFirst(length))
        return Response(
            head: lines.joined(separator: "\r\n"),
            status: Int(lines[0].split(separator: " ")[1]) ?? 0,
            headers: headers,
            body: body
        )
    }

    /// Whether the other side closes the connection; not when it sends something first, or does not in time.
    func isClosed() -> Bool {
        guard buffer.isEmpty else { return false }
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, 0)
        return count == 0 || (count < 0 && errno == ECONNRESET)
    }

    /// All that still comes until the other side closes the connection; `nil` when it stays open.
    func rest() -> String? {
        while (try? fill()) != nil {}
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
        guard count == 0 || (count < 0 && errno != EAGAIN) else { return nil }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Whether something has come that was not read, or the other side has closed the connection.
    var hasInput: Bool {
        var byte: UInt8 = 0
        return !buffer.isEmpty || recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) >= 0
    }

    /// Says that nothing more will be sent.
    func closeOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    private func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 65536)
        var count = 0
        // A socket with a timeout is interrupted by any signal that has a handler in these tests.
        repeat { count = recv(descriptor, &chunk, chunk.count, 0) } while count < 0 && errno == EINTR
        guard count > 0 else { throw Failure(text: count == 0 ? "closed" : String(cString: strerror(errno))) }
        buffer.append(contentsOf: chunk[..<count])
    }
}
