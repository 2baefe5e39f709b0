import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
package import Offers

/// Sends requests with AsyncHTTPClient: connections that are kept open, no redirects, bounded answers.
package final class AsyncHTTPTransport: HTTPTransport {
    /// How many bytes an answer may have: years of transactions fit.
    static let maximumResponseBytes = 8 << 20
    /// How many connections are held to one host by HTTP/1.1; further requests wait for one within their time.
    ///
    /// At the default pace of 50 requests a second these are enough for answers that take half of the default timeout.
    package static let maximumConnectionsPerHost = 128

    private let client: HTTPClient
    let clock: (any AppleClock)?

    /// The clock learns from the `Date` of every answer.
    package init(clock: (any AppleClock)? = nil) {
        self.clock = clock
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(3))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.maximumConnectionsPerHost
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    package func shutdown() async {
        try? await client.shutdown()
    }

    package func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse {
        let complete = Self.request(request)
        let client = client
        // The client's own deadline ends with the head; this one holds for the body too.
        let result = await withTaskGroup(of: Result<IncomingResponse, TransportFault>?.self) { group in
            group.addTask { await Self.send(complete, with: client, timeout: timeout) }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? .failure(.timeout)
        }
        let response = try result.get()
        if let date = response.date { clock?.observe(.fetched(date)) }
        return response
    }

    private static func request(_ request: OutgoingRequest) -> HTTPClientRequest {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = .init(rawValue: request.method.rawValue)
        outgoing.headers.add(name: "Accept", value: "application/json")
        outgoing.headers.add(name: "User-Agent", value: "offer-signer")
        if let token = request.bearerToken { outgoing.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body = request.body {
            outgoing.headers.add(name: "Content-Type", value: request.contentType)
            outgoing.body = .bytes(ByteBuffer(bytes: body))
        }
        return outgoing
    }

    private static func send(
        _ request: HTTPClientRequest,
        with client: HTTPClient,
        timeout: Duration
    ) async -> Result<IncomingResponse, TransportFault> {
        do {
            let response = try await client.execute(request, timeout: TimeAmount(timeout))
            let body = try await response.body.collect(upTo: maximumResponseBytes)
            return .success(
                IncomingResponse(
                    status: Int(response.status.code),
                    retryAfter: response.headers.first(name: "Retry-After"),
                    date: response.headers.first(name: "Date").flatMap(Timestamp.init(httpDate:)),
                    body: Array(body.readableBytesView)
                )
            )
        } catch {
            return .failure(fault(of: error))
        }
    }

    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .readTimeout, .cancelled, .connectTimeout, .tlsHandshakeTimeout,
        .getConnectionFromPoolTimeout,
    ]

    private static func fault(of error: any Error) -> TransportFault {
        switch error {
        case is NIOTooManyBytesError: .tooLarge
        case let error as HTTPClientError where timeouts.contains(error): .timeout
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            .failed(.name, detail: detail(error.dnsAError ?? error.dnsAAAAError ?? error))
        case let error as NIOConnectionError:
            .failed(.connection, detail: detail(error.connectionErrors.first?.error ?? error))
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: .failed(.tls, detail: detail(error))
        case is HTTPParserError: .failed(.notHTTP, detail: detail(error))
        default: .failed(.connection, detail: detail(error))
        }
    }

    private static func detail(_ error: any Error) -> String {
        if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
        return String("\(error)".prefix(300))
    }
}
