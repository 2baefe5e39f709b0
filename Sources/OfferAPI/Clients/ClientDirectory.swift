import HTTPTypes
package import Offers

/// The clients that may call, found by their bearer tokens.
package final class ClientDirectory: Sendable {
    private let tokens: [TokenDigest: KnownToken]
    private let usages: [String: ClientUsage]
    private let now: @Sendable () -> Timestamp

    /// Takes the clock by which tokens end: without one, those that have an end are over.
    package init(
        _ clients: [Client],
        usages: ClientUsages = ClientUsages(),
        now: @escaping @Sendable () -> Timestamp = { Timestamp(millisecondsSince1970: .max) }
    ) {
        self.now = now
        var tokens: [TokenDigest: KnownToken] = [:]
        for client in clients {
            let usage = usages.usage(of: client.name)
            for (place, bytes) in client.tokenSHA256.enumerated() {
                guard let digest = TokenDigest(bytes: bytes) else { continue }
                tokens[digest] = KnownToken(client: client, place: place, usage: usage)
            }
        }
        self.tokens = tokens
        let names = clients.map { ($0.name, usages.usage(of: $0.name)) }
        self.usages = Dictionary(names) { first, _ in first }
    }

    package func client(presenting token: some StringProtocol) -> Client? {
        self.token(with: TokenDigest(of: token))?.client
    }

    /// The client's token with a digest; `nil` when it is no client's.
    func token(with digest: TokenDigest) -> KnownToken? { tokens[digest] }

    /// The client's token with a digest; throws 401 when it is no client's, or has ended.
    func validToken(with digest: TokenDigest) throws(Problem) -> KnownToken {
        guard let known = tokens[digest] else { throw .tokenUnknown }
        if let end = known.expires, end <= now() { throw .tokenExpired(end, of: known.client) }
        return known
    }

    /// A client's usage; `nil` for a client of another directory.
    func usage(of client: Client) -> ClientUsage? { usages[client.name] }
}

/// The limits of a client.
extension ClientDirectory {
    /// The time since the service started, by a clock that nobody sets.
    static var uptime: Duration { start.duration(to: .now) }

    private static let start = ContinuousClock.now

    /// Acquires a signature for each offer, whatever becomes of it; throws 429, and has none, beyond the client's rate.
    func acquire(signatures count: Int, for client: Client, at now: Duration = uptime) throws(Problem) {
        guard let limit = client.rateLimit, let usage = usage(of: client) else { return }
        if let wait = usage.acquire(signatures: count, within: limit, at: now) {
            throw .rateLimited(perSecond: limit.perSecond, retryAfterSeconds: max(wait.secondsRoundedUp, 1))
        }
    }

    /// Begins a request of a client, or throws 429 where the client has as many at once as it may.
    ///
    /// Requests of a client without a limit are not counted, even where a reload gives it one meanwhile.
    func begin(_ client: Client) throws(Problem) {
        guard let limit = client.concurrentRequests, let usage = usage(of: client) else { return }
        guard usage.begin(limit: limit) else { throw .tooManyRequests(limit: limit) }
    }

    func end(_ client: Client) {
        if client.concurrentRequests != nil { usage(of: client)?.end() }
    }

    /// `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-09), in offers; none without a limit.
    func rateLimitFields(of client: Client, at now: Duration = uptime) -> HTTPFields {
        guard let limit = client.rateLimit, let usage = usage(of: client) else { return [:] }
        let (remaining, backlog) = usage.rate(within: limit, at: now)
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
    /// A second's worth may be asked for at once. After a while without requests, one request may ask for all that it
    /// can hold.
    var rateLimit: CellRate.Limit? {
        signaturesPerSecond.map { CellRate.Limit(perSecond: $0, burst: $0) }
    }
}

extension HTTPField.Name {
    fileprivate static let rateLimit = HTTPField.Name("RateLimit")
    fileprivate static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy")
}
