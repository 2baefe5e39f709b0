package import CoreMetrics
import Logging
import Synchronization

/// Counts requests by route, status and client, their time by route, and the use of tokens: nothing that a stranger
/// sends becomes a label.
package final class RequestMetrics: Sendable {
    /// The route of requests that no route takes.
    static let unmatched = "unmatched"
    /// The client of requests without a known token, and the status of requests without an answer.
    static let none = "none"

    private struct Key: Hashable {
        let route: String
        let status: Int?
        let client: String
        /// The place of the token among the client's tokens, from 0; `nil` without a client.
        let token: Int?
    }

    private struct Handles {
        let count: Counter
        let duration: Timer
        let token: Counter?
    }

    private let factory: any MetricsFactory
    private let tlsFailures: Counter
    private let waits: Timer
    private let handles = Mutex<[Key: Handles]>([:])

    package init(factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        self.factory = factory
        tlsFailures = Counter(label: "offer_signer_tls_handshake_failures_total", factory: factory)
        waits = Timer(label: "offer_signer_queue_wait_seconds", dimensions: [], factory: factory)
    }

    /// Records the time that a request has waited for its turn.
    func recordWait(_ nanoseconds: Int64) { waits.recordNanoseconds(nanoseconds) }

    /// Counts a request and the time from its head to its answer; no status where the client was gone or sent no HTTP.
    func count(route: String?, status: Int?, client: KnownToken?, nanoseconds: Int64) {
        let key = Key(
            route: route ?? Self.unmatched,
            status: status,
            client: client?.client.name ?? Self.none,
            token: client?.place
        )
        let handles = handles.withLock { handles in
            if let known = handles[key] { return known }
            let new = makeHandles(for: key)
            handles[key] = new
            return new
        }
        handles.count.increment()
        handles.duration.recordNanoseconds(nanoseconds)
        handles.token?.increment()
    }

    func countTLSFailure() { tlsFailures.increment() }

    private func makeHandles(for key: Key) -> Handles {
        let labels = [
            ("route", key.route), ("status", key.status.map(String.init) ?? Self.none), ("client", key.client),
        ]
        return Handles(
            count: Counter(label: "offer_signer_requests_total", dimensions: labels, factory: factory),
            duration: Timer(
                label: "offer_signer_request_duration_seconds",
                dimensions: [("route", key.route)],
                factory: factory
            ),
            token: key.token.map { place in
                Counter(
                    label: "offer_signer_client_tokens_total",
                    dimensions: [("client", key.client), ("token", place == 0 ? "first" : "second")],
                    factory: factory
                )
            }
        )
    }
}

/// Counts every request, whatever became of it, and logs a line at the level info.
final class RequestTelemetry: Sendable {
    let metrics: RequestMetrics
    /// Its lines have no path and no query, in which a stranger may have put anything.
    let logger: Logger
    let faults: RepeatedFaults
    /// Whether the listener is that of clients; on Apple's the endpoints log why nothing was answered.
    let isForClients: Bool

    init(metrics: RequestMetrics, logger: Logger, faults: RepeatedFaults, isForClients: Bool = true) {
        self.metrics = metrics
        self.logger = logger
        self.faults = faults
        self.isForClients = isForClients
    }

    /// Counts and logs a request; no status without an answer, no code unless it was refused.
    ///
    /// A refusal of a client's request has a line of its own, with the cause if that is for the log alone. The peer is the
    /// socket's own.
    func record(
        _ identity: RequestIdentity,
        route: String?,
        status: Int?,
        client: KnownToken?,
        nanoseconds: Int64,
        code: String? = nil,
        reason: String? = nil,
        peer: @autoclosure () -> String? = nil
    ) {
        metrics.count(route: route, status: status, client: client, nanoseconds: nanoseconds)
        func refusal(of client: KnownToken) -> Logger.Metadata {
            var metadata: Logger.Metadata = [
                "client": "\(client.client.name)", "route": "\(route ?? RequestMetrics.unmatched)",
            ]
            if let reason { metadata["reason"] = "\(reason)" }
            if let peer = peer() { metadata["peer"] = "\(peer)" }
            return metadata
        }
        if isForClients, let client, let status, let code, status >= 400 {
            RequestIdentity.$current.withValue(identity) { faults.logRefusal(status, code, refusal(of: client)) }
        }
        guard logger.logLevel <= .info else { return }
        // Anybody can send these, as many as they like.
        if client == nil, isForClients || status.map({ $0 >= 400 }) ?? true {
            let text = status.map(String.init) ?? RequestMetrics.none
            let (name, value) = code.map { ("code", $0) } ?? ("status", text)
            let kind = RepeatedFaults.Kind(level: .info, message: Self.ofStrangers, name: name, value: value)
            guard faults.isFirst(kind) else { return }
        }
        var metadata: Logger.Metadata = [
            "route": "\(route ?? RequestMetrics.unmatched)",
            "client": "\(client?.client.name ?? RequestMetrics.none)",
            "microseconds": .stringConvertible(nanoseconds / 1000),
        ]
        if let status { metadata["status"] = .stringConvertible(status) }
        if let code { metadata["code"] = "\(code)" }
        if let peer = peer() { metadata["peer"] = "\(peer)" }
        RequestIdentity.$current.withValue(identity) { logger.info("request", metadata: metadata) }
    }

    private static let ofStrangers = "requests of nobody who is known"

    func recordTLSFailure(_ reason: String, from peer: String? = nil) {
        metrics.countTLSFailure()
        log(.init(level: .info, message: "TLS handshake failed", name: "reason", value: reason), from: peer)
    }

    /// Logs a connection that was refused, as there are too many.
    func logExcess(from peer: String?) {
        let code = Problem.tooManyConnections.code
        log(.init(level: .warning, message: "connections refused", name: "code", value: code), from: peer)
    }

    private func log(_ kind: RepeatedFaults.Kind, from peer: String?) {
        faults.log(kind, peer.map { ["peer": "\($0)"] } ?? [:])
    }
}
