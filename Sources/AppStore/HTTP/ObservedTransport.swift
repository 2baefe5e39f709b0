import Logging
import Offers
import Synchronization

/// Counts the calls that are made by what came of them, and logs why calls fail: of each cause one line a minute.
///
/// At the level info each call has a line, with a span of its own in the trace of the request that it is made for.
final class ObservedTransport: HTTPTransport {
    private struct Cause: Hashable {
        let service: AppStoreService
        let host: String
        let label: String
    }

    private let transport: any HTTPTransport
    private let metrics: AppStoreMetrics
    private let logger: Logger
    private let uptime: @Sendable () -> Duration
    private let lines = Mutex<[Cause: FailureLines]>([:])

    init(
        _ transport: any HTTPTransport,
        _ metrics: AppStoreMetrics,
        logger: Logger,
        uptime: @escaping @Sendable () -> Duration = { ObservedTransport.start.duration(to: .now) }
    ) {
        self.transport = transport
        self.metrics = metrics
        self.logger = logger
        self.uptime = uptime
    }

    private static let start = ContinuousClock.now

    func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse {
        let start = ContinuousClock.now
        func count(_ status: String) {
            let (seconds, attoseconds) = start.duration(to: .now).components
            let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
            metrics.count(request, status: status, nanoseconds: nanoseconds)
            logger.info("a call to Apple", metadata: Self.line(of: request, status, nanoseconds))
        }
        do throws(TransportFault) {
            let response = try await transport.send(request, timeout: timeout)
            let fault = request.fault(response)
            let label = fault ?? ((100...599).contains(response.status) ? String(response.status) : "other")
            count(label)
            if fault != nil || request.isOutage(response) || Self.refusals.contains(response.status) {
                log(request, failed: "answer", label: label, detail: nil)
            }
            return response
        } catch {
            guard case .failed(let failure, let detail) = error else { throw error }
            count(failure.rawValue)
            log(request, failed: failure.part, label: failure.rawValue, detail: detail)
            throw error
        }
    }

    func shutdown() async {
        await transport.shutdown()
    }

    private static func line(of request: OutgoingRequest, _ status: String, _ nanoseconds: Int64) -> Logger.Metadata {
        let span = String(UInt64.random(in: 1...UInt64.max), radix: 16)
        return [
            "service": "\(request.service.rawValue)", "environment": "\(request.environment.rawValue)",
            "status": "\(status)", "microseconds": .stringConvertible(nanoseconds / 1000),
            "spanId": "\(String(repeating: "0", count: 16 - span.count))\(span)",
        ]
    }

    /// The answers by which Apple refuses this service, whatever it asks.
    private static let refusals: Set<Int> = [401, 403, 429]

    private func log(_ request: OutgoingRequest, failed part: String, label: String, detail: String?) {
        let now = uptime()
        let cause = Cause(service: request.service, host: request.host, label: label)
        let more = lines.withLock { $0[cause, default: FailureLines()].countFailure(at: now) }
        guard let more else { return }
        var metadata: Logger.Metadata = [
            "service": "\(request.service.rawValue)", "environment": "\(request.environment.rawValue)",
            "host": "\(request.authority)", "failed": "\(part)", "label": "\(label)",
        ]
        if let detail { metadata["detail"] = "\(detail)" }
        if more > 0 { metadata["more"] = .stringConvertible(more) }
        logger.warning("a call to Apple failed", metadata: metadata)
    }
}

/// Logs what Apple refuses: of each cause one line a minute, which says how many more there were.
final class AppleLog: Sendable {
    private let logger: Logger
    private let lines = Mutex<[String: FailureLines]>([:])
    private static let start = ContinuousClock.now
    private static let mostCauses = 1000

    init(_ logger: Logger) { self.logger = logger }

    /// The cause is the message with its facts, unless it is named.
    func error(_ message: String, _ facts: [String: String], cause: String? = nil) {
        let now = Self.start.duration(to: .now)
        let cause = cause ?? "\(message) \(facts.sorted { $0.key < $1.key })"
        let more = lines.withLock { lines in
            if lines.count >= Self.mostCauses { lines = [:] }
            return lines[cause, default: FailureLines()].countFailure(at: now)
        }
        guard let more else { return }
        var metadata = facts.mapValues { Logger.MetadataValue.string($0) }
        if more > 0 { metadata["more"] = .stringConvertible(more) }
        logger.error("\(message)", metadata: metadata)
    }
}

/// Gives the failures of one cause a line a minute, which says how many had none since the last.
struct FailureLines: Sendable {
    static let interval = Duration.seconds(60)

    private var next = Duration.zero
    private var more = 0

    /// Counts a failure: how many had no line since the last one, or `nil` where this has none either.
    ///
    /// `now` is the time since some start.
    mutating func countFailure(at now: Duration) -> Int? {
        guard now >= next else {
            more += 1
            return nil
        }
        next = now + Self.interval
        defer { more = 0 }
        return more
    }
}

extension CallFailure {
    /// The part of a call that failed, as the log names it.
    fileprivate var part: String {
        switch self {
        case .name: "name"
        case .connection: "connection"
        case .tls: "TLS"
        case .timeout: "time"
        case .notHTTP, .tooLarge: "answer"
        }
    }
}

extension OutgoingRequest {
    /// The host of the service, with its port where that is not the usual one.
    fileprivate var authority: Substring {
        let start = host.firstRange(of: "://")?.upperBound ?? host.startIndex
        return host[start...].prefix { $0 != "/" }
    }
}
