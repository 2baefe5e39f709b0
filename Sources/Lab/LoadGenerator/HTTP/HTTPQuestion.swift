import AsyncHTTPClient
internal import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// A request outside of the measurement: what the generator has to know before it starts.
struct HTTPQuestion {
    // A service that is not there is no reason to wait: it is not asked again until the time is up.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    let address: ServiceAddress
    /// How long connection and answer may take, in seconds.
    let timeoutSeconds: Double

    /// Asks; a task that is cancelled waits no longer.
    func ask(
        _ method: String,
        _ path: String,
        token: String? = nil,
        body: [UInt8] = []
    ) async throws(LoadFault) -> (status: Int, body: [UInt8]) {
        var request = HTTPClientRequest(url: "\(address)\(path)")
        request.method = HTTPMethod(rawValue: method)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if method != "GET" {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        do {
            let answer = try await Self.client.execute(request, timeout: .nanoseconds(Int64(timeoutSeconds * 1e9)))
            let body = try await answer.body.collect(upTo: AnswerReader.longestBody)
            return (Int(answer.status.code), Array(body.readableBytesView))
        } catch {
            let isLate = error as? HTTPClientError == .deadlineExceeded
            let reason = isLate ? "there was no answer within \(timeoutSeconds) seconds" : LoadFailure.reason(error)
            throw LoadFault("\(method) \(address)\(path): \(reason)")
        }
    }
}

extension LoadFailure {
    /// What went wrong with a connection, in a few words that are the same for each address.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as LoadFault: error.description
        case let error as HTTPClientError: error == .remoteConnectionClosed ? "the connection was closed" : "\(error)"
        case let error as HTTPParserError: "this is no HTTP: \(error)"
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason($0.error) } ?? "the host's name is not known"
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case let error as ChannelError:
            if case .connectTimeout = error { "timeout" } else { "\(error)" }
        default: "\(error)"
        }
    }
}

/// The reason why no load can be generated, or why an option cannot be used.
package struct LoadFault: Error, CustomStringConvertible {
    /// The reason, with a fix if there is one; of an option, in words that follow its name.
    package let description: String

    init(_ description: String) { self.description = description }
}

enum HTTPRequestBytes {
    static func joined(_ head: [UInt8], _ body: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(head.count + body.count)
        buffer.writeBytes(head)
        buffer.writeBytes(body)
        return buffer
    }

    static func head(_ path: String, host: String, token: String?, bodyLength: Int) -> [UInt8] {
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let fields = "POST \(path) HTTP/1.1\r\nHost: \(host)\r\n\(authorization)Content-Type: application/json\r\n"
        return Array("\(fields)Content-Length: \(bodyLength)\r\n\r\n".utf8)
    }
}

/// The address of a service: the part of `http://127.0.0.1:8080` that connections and requests need.
package struct ServiceAddress: Equatable, Sendable, CustomStringConvertible {
    /// The host's name or address, without brackets.
    package let host: String
    package let port: Int

    /// Reads a URL with `http`, a host and perhaps a port, and no path.
    package init(_ url: String) throws(LoadFault) {
        guard let components = URLComponents(string: url), let host = components.host, !host.isEmpty else {
            throw LoadFault("this is no URL such as http://127.0.0.1:8080")
        }
        guard components.scheme?.lowercased() == "http" else {
            throw LoadFault(
                "the load generator speaks plain http; give the service's own http:// address"
            )
        }
        guard components.path.isEmpty || components.path == "/", components.query == nil, components.fragment == nil,
            components.user == nil
        else {
            throw LoadFault("give scheme, host and port alone; the paths are the service's")
        }
        // A port that no Int holds is there all the same.
        let port = components.rangeOfPort == nil ? 80 : components.port ?? 0
        guard (1...65_535).contains(port) else {
            throw LoadFault("a port is a number from 1 to 65535")
        }
        self.host = host.trimmingPrefix("[").description.split(separator: "]").first.map(String.init) ?? host
        self.port = port
    }

    /// Whether it is this machine, decided without asking a name server.
    package var isLoopback: Bool {
        if host.lowercased() == "localhost" { return true }
        // Every spelling that connecting understands, such as 127.1.
        var address = in_addr()
        if inet_aton(host, &address) != 0 { return UInt32(bigEndian: address.s_addr) >> 24 == 127 }
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<in6_addr>.size)
        guard inet_pton(AF_INET6, host, &bytes) == 1 else { return false }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127]
        return bytes == [UInt8](repeating: 0, count: 15) + [1] || bytes.starts(with: mapped)
    }

    /// Host and port as the `Host` field has them (RFC 9110 §7.2).
    package var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    package var description: String { "http://\(authority)" }
}
