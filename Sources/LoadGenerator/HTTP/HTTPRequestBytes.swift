import NIOCore

/// Requests as bytes: made once, sent as often as wanted.
enum HTTPRequestBytes {
    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, with the query.
    ///   - host: The `Host` field.
    ///   - token: The bearer token, if there is one.
    ///   - body: The body, JSON; empty for none.
    /// - Returns: Head and body.
    static func make(_ method: String, _ path: String, host: String, token: String?, body: [UInt8]) -> ByteBuffer {
        let head = head(method, path, host: host, token: token, bodyLength: body.count)
        var buffer = ByteBuffer()
        buffer.reserveCapacity(head.count + body.count)
        buffer.writeBytes(head)
        buffer.writeBytes(body)
        return buffer
    }

    /// Makes the head of a request, up to the empty line.
    static func head(_ method: String, _ path: String, host: String, token: String?, bodyLength: Int) -> [UInt8] {
        var fields = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n"
        if let token { fields += "Authorization: Bearer \(token)\r\n" }
        if method != "GET" { fields += "Content-Type: application/json\r\nContent-Length: \(bodyLength)\r\n" }
        return Array((fields + "\r\n").utf8)
    }
}
