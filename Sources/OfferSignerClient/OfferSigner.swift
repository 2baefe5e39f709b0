public import AsyncHTTPClient
import NIOCore

/// A running Offer Signer, as an app's backend asks it.
///
/// ```swift
/// let offers = try OfferSigner(url: "https://offers.internal", token: token)
/// let answer = try await offers.signatures(request)
/// ```
///
/// It is a value: copy it, keep it, use it from any number of tasks. It logs nothing, and the token is in no description
/// of it and in no error.
public struct OfferSigner: Sendable {
    let address: ServiceAddress
    let token: BearerToken
    let httpClient: HTTPClient
    let retries: RetryPolicy
    /// Waits between two attempts; tests do not.
    let pause: @Sendable (Duration) async throws -> Void

    /// Creates a client; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - url: The service's address, such as `https://offers.internal` or `http://127.0.0.1:8080`; it may have a path.
    ///   - token: This backend's bearer token, as `offer-signer clients token` printed it.
    ///   - httpClient: Sends the requests. By default one that all of these clients share: it follows no redirect, is
    ///     told at once where nobody listens, and needs no shutdown.
    ///   - retries: How often, and for how long, a call is tried.
    /// - Throws: `OfferSignerError.invalidArgument` where the address or the token cannot be one.
    public init(
        url: String,
        token: String,
        httpClient: HTTPClient? = nil,
        retries: RetryPolicy = RetryPolicy()
    ) throws(OfferSignerError) {
        try self.init(url: url, token: token, httpClient: httpClient, retries: retries) {
            try await Task.sleep(for: $0)
        }
    }

    init(
        url: String,
        token: String,
        httpClient: HTTPClient? = nil,
        retries: RetryPolicy = RetryPolicy(),
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) throws(OfferSignerError) {
        self.address = try ServiceAddress(url)
        self.token = try BearerToken(token)
        self.httpClient = httpClient ?? Self.sharedHTTPClient
        self.retries = retries
        self.pause = pause
    }

    private static let sharedHTTPClient: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(3))
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}

extension OfferSigner: CustomStringConvertible, CustomReflectable {
    /// Where the service is.
    public var description: String { "OfferSigner at \(address.url(""))" }

    /// Nothing of the inside: the connections know the requests that are on their way, and so the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
