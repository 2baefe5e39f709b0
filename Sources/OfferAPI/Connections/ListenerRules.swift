public import Logging
import NIOCore

/// What the connections of a listener may do, and which requests are worth answering.
public struct ListenerRules: Sendable {
    /// Sizes and times.
    public let limits: ConnectionLimits
    /// The listener's connections.
    public let census: ConnectionCensus
    /// What TLS shows; `nil` for plain HTTP.
    public let tls: TLSIdentity?
    private let judge: @Sendable (RequestHead, () -> SocketAddress?) -> HeadJudgement
    private let telemetry: RequestTelemetry?
    private let admission: AdmissionControl?
    private let queues: LoopQueues?

    /// The rules of a listener that answers everybody.
    ///
    /// - Parameter limits: Sizes and times.
    public init(limits: ConnectionLimits = ConnectionLimits()) {
        self.limits = limits
        census = ConnectionCensus()
        tls = nil
        telemetry = nil
        admission = nil
        queues = nil
        judge = { _, _ in .admit(maximumBodyBytes: limits.maximumBodyBytes) }
    }

    /// The rules of the notifications listener, which answers everybody, and takes what Apple sends.
    ///
    /// - Parameters:
    ///   - metrics: Where refused requests are counted.
    ///   - logger: Where refused requests have their lines, at the level info.
    public init(notificationsCountedBy metrics: RequestMetrics, logger: Logger) {
        limits = ConnectionLimits(maximumBodyBytes: NotificationsAPI.maximumBodyBytes)
        census = ConnectionCensus()
        tls = nil
        telemetry = RequestTelemetry(metrics: metrics, logger: logger)
        admission = nil
        queues = nil
        judge = { _, _ in .admit(maximumBodyBytes: NotificationsAPI.maximumBodyBytes) }
    }

    /// The rules of the public listener, which answers clients alone.
    ///
    /// - Parameters:
    ///   - limits: Sizes and times.
    ///   - census: The listener's connections.
    ///   - tls: What TLS shows; `nil` for plain HTTP.
    ///   - failures: Who has shown tokens that are nobody's.
    ///   - admission: What lets requests in while there is not too much to do.
    ///   - answers: What is answered on the event loops; `nil` when everything goes to the router.
    ///   - metrics: Where refused requests are counted.
    ///   - logger: Where refused requests have their lines, at the level info.
    ///   - clients: The clients of the configuration in use.
    public init(
        limits: ConnectionLimits,
        census: ConnectionCensus,
        tls: TLSIdentity?,
        failures: FailedAuthentications,
        admission: AdmissionControl,
        answers: LoopAnswers?,
        metrics: RequestMetrics,
        logger: Logger,
        clients: @escaping @Sendable () -> ClientDirectory
    ) {
        self.limits = limits
        self.census = census
        self.tls = tls
        telemetry = RequestTelemetry(metrics: metrics, logger: logger)
        self.admission = admission
        queues = answers.map { LoopQueues(answeredBy: $0.responder) }
        let gate = PublicGate(limits: limits, clients: clients, failures: failures)
        judge = { head, address in gate.judge(head, from: address) }
    }

    /// What every connection gets.
    var setup: HTTPConnectionSetup {
        var setup = HTTPConnectionSetup(limits: limits, census: census, judge: judge, tls: tls)
        setup.admission = admission
        setup.queues = queues
        setup.noteRefusal = { [telemetry] head, identity, problem in telemetry?.note(head, identity, problem) }
        return setup
    }
}
