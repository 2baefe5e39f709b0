internal import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix

/// A request outside of the measurement: what the generator has to know before it starts.
struct HTTPQuestion {
    let address: ServiceAddress
    /// How long connection and answer may take, in seconds.
    let timeoutSeconds: Double

    /// Asks, over a connection of its own; a task that is cancelled waits no longer.
    func ask(
        _ method: String,
        _ path: String,
        token: String? = nil,
        body: [UInt8] = []
    ) async throws(LoadFault) -> (status: Int, body: [UInt8]) {
        let request = HTTPRequestBytes.make(method, path, host: address.authority, token: token, body: body)
        // One that stays: a task that gives up leaves questions behind that are still on their way.
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let answer = eventLoop.makePromise(of: AnswerReader.Answer.self)
        let deadline = eventLoop.scheduleTask(in: .nanoseconds(Int64(timeoutSeconds * 1e9))) {
            answer.fail(LoadFault("there was no answer within \(timeoutSeconds) seconds"))
        }
        defer { deadline.cancel() }
        do {
            ClientBootstrap(group: eventLoop)
                .connectTimeout(.nanoseconds(Int64(timeoutSeconds * 1e9)))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(QuestionHandler(answer))
                    }
                }
                .connect(host: address.host, port: address.port)
                .whenComplete { result in
                    switch result {
                    case .success(let channel):
                        channel.writeAndFlush(request, promise: nil)
                        answer.futureResult.whenComplete { _ in channel.close(promise: nil) }
                    case .failure(let error): answer.fail(error)
                    }
                }
            let result = try await withTaskCancellationHandler {
                try await answer.futureResult.get()
            } onCancel: {
                answer.fail(LoadFault("nobody waits for the answer any more"))
            }
            return (result.status, Array(result.body.readableBytesView))
        } catch {
            throw LoadFault("\(method) \(address)\(path): \(LoadFailure.reason(error))")
        }
    }
}

private final class QuestionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let answer: EventLoopPromise<AnswerReader.Answer>
    private var reader = AnswerReader()

    init(_ answer: EventLoopPromise<AnswerReader.Answer>) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(unwrapInboundIn(data))
        do throws(LoadFault) {
            if let answer = try reader.next() { self.answer.succeed(answer) }
        } catch {
            answer.fail(LoadFault("this is no HTTP: \(error)"))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        answer.fail(LoadFault("the connection was closed"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { answer.fail(error) }
}

extension LoadFailure {
    /// What went wrong with a connection, in a few words that are the same for each address.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as LoadFault: error.description
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
    static func make(_ method: String, _ path: String, host: String, token: String?, body: [UInt8]) -> ByteBuffer {
        joined(head(method, path, host: host, token: token, bodyLength: body.count), body)
    }

    static func joined(_ head: [UInt8], _ body: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(head.count + body.count)
        buffer.writeBytes(head)
        buffer.writeBytes(body)
        return buffer
    }

    static func head(_ method: String, _ path: String, host: String, token: String?, bodyLength: Int) -> [UInt8] {
        var fields = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n"
        if let token { fields += "Authorization: Bearer \(token)\r\n" }
        if method != "GET" { fields += "Content-Type: application/json\r\nContent-Length: \(bodyLength)\r\n" }
        return Array((fields + "\r\n").utf8)
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
