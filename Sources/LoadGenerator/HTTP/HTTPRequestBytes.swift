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
        var fields = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n"
        if let token { fields += "Authorization: Bearer \(token)\r\n" }
        if method != "GET" { fields += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
        var buffer = ByteBuffer()
        buffer.reserveCapacity(fields.utf8.count + 2 + body.count)
        buffer.writeString(fields + "\r\n")
        buffer.writeBytes(body)
        return buffer
    }
}
