import HTTPTypes

/// The clients that may call, found by their bearer tokens.
public final class ClientDirectory: Sendable {
    private let clients: [TokenDigest: Client]
    private let usages: [String: ClientUsage]

    /// Creates a directory.
    ///
    /// - Parameters:
    ///   - clients: The clients; each digest of `tokenSHA256` has 32 bytes.
    ///   - usages: What the clients have asked for so far.
    public init(_ clients: [Client], usages: ClientUsages = ClientUsages()) {
        var byDigest: [TokenDigest: Client] = [:]
        for client in clients {
            for digest in client.tokenSHA256.compactMap({ TokenDigest(bytes: $0) }) { byDigest[digest] = client }
        }
        self.clients = byDigest
        let names = clients.map { ($0.name, usages.usage(of: $0.name)) }
        self.usages = Dictionary(names) { first, _ in first }
    }

    /// The client whose token this is.
    ///
    /// - Parameter token: The bearer token as it was presented.
    /// - Returns: The client; `nil` when the token is nobody's.
    public func client(presenting token: some StringProtocol) -> Client? { client(with: TokenDigest(of: token)) }

    /// The client whose token has a digest.
    ///
    /// - Parameter digest: The digest of the bearer token as it was presented.
    /// - Returns: The client; `nil` when the token is nobody's.
    func client(with digest: TokenDigest) -> Client? { clients[digest] }

    /// What a client has asked for.
    ///
    /// - Parameter client: A client of the directory.
    /// - Returns: The usage; `nil` for a client of another directory.
    func usage(of client: Client) -> ClientUsage? { usages[client.name] }
}

/// How much a client may ask for.
extension ClientDirectory {
    /// The time since the service started, by a clock that nobody sets.
    static var uptime: Duration { start.duration(to: .now) }

    private static let start = ContinuousClock.now

    /// Takes signatures from a client's rate.
    ///
    /// A request counts with every offer in it, whatever becomes of it.
    ///
    /// - Parameters:
    ///   - count: How many offers the request asks for.
    ///   - client: The client.
    ///   - now: The time since the service started.
    /// - Throws: `Problem` 429 when that is more than the client may ask for now; nothing is taken then.
    func take(signatures count: Int, for client: Client, at now: Duration = uptime) throws(Problem) {
        guard let limit = client.rateLimit, let usage = usage(of: client) else { return }
        if let wait = usage.take(signatures: count, within: limit, at: now) {
            throw .rateLimited(perSecond: limit.perSecond, retryAfterSeconds: max(wait.secondsRoundedUp, 1))
        }
    }

    /// Begins a request of a client.
    ///
    /// Those of a client without a limit are not counted, also when a reload gives it one meanwhile.
    ///
    /// - Parameter client: The client.
    /// - Throws: `Problem` 429 when the client has as many requests at once as it may have.
    func begin(_ client: Client) throws(Problem) {
        guard let limit = client.concurrentRequests, let usage = usage(of: client) else { return }
        guard usage.begin(limit: limit) else { throw .tooManyRequests(limit: limit) }
    }

    /// Ends a request of a client that has begun.
    func end(_ client: Client) {
        if client.concurrentRequests != nil { usage(of: client)?.end() }
    }

    /// What a client is told of its rate (draft-ietf-httpapi-ratelimit-headers-09).
    ///
    /// The unit is an offer that a signature is asked for.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - now: The time since the service started.
    /// - Returns: The fields `RateLimit-Policy` and `RateLimit`; none for a client without a limit.
    func rateLimitFields(of client: Client, at now: Duration = uptime) -> HTTPFields {
        guard let limit = client.rateLimit, let usage = usage(of: client) else { return [:] }
        let (remaining, backlog) = usage.standing(within: limit, at: now)
        var fields = HTTPFields()
        if let name = HTTPField.Name.rateLimitPolicy {
            fields[name] = "\"signatures\";q=\(limit.burst);w=\(limit.tolerance.secondsRoundedUp)"
        }
        if let name = HTTPField.Name.rateLimit {
            fields[name] = "\"signatures\";r=\(remaining);t=\(backlog.secondsRoundedUp)"
        }
        return fields
    }
}

extension Client {
    /// The client's rate; `nil` when there is none.
    ///
    /// A second's worth may be asked for at once, and by who has asked for nothing of late, whatever one request may hold.
    var rateLimit: CellRate.Limit? {
        signaturesPerSecond.map { CellRate.Limit(perSecond: $0, burst: $0) }
    }
}

extension HTTPField.Name {
    fileprivate static let rateLimit = HTTPField.Name("RateLimit")
    fileprivate static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy")
}
