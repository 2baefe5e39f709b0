public import Hummingbird
public import Logging
import NIOCore

/// The limits of a listener's connections, and the parts that judge and answer their requests.
public struct ListenerRules: Sendable {
    /// Sizes and times.
    public let limits: ConnectionLimits
    /// The listener's connections.
    public let census: ConnectionCensus
    /// What TLS shows; `nil` for plain HTTP.
    public let tls: TLSIdentity?
    /// The parts that the connections of each event loop share.
    let setups: LoopSetups

    /// How many connections a listener may have that is not the public one: Apple and monitoring need a few, and strangers
    /// get no more memory and sockets than so many take.
    public static let maximumConnectionsOfOthers = 256

    /// How many event loops the listeners of the process share.
    public static var eventLoopCount: Int { NIOSingletons.groupLoopCountSuggestion }

    /// The rules of the operators' listener, which answers everybody.
    ///
    /// - Parameter responder: Answers the requests.
    public init(operators responder: some HTTPResponder<BasicRequestContext>) {
        self.init(
            limits: ConnectionLimits(maximumConnections: Self.maximumConnectionsOfOthers),
            guests: .everybody(at: AdminAPI.methods),
            telemetry: nil,
            fields: AdminAPI.protection,
            answer: RouterAnswers(responder: responder).answer
        )
    }

    /// The rules of the operators' listener with the page, whose forms answer clients alone.
    ///
    /// - Parameters:
    ///   - responder: Answers the requests of everybody.
    ///   - endpoints: What answers the forms, by the configuration in use.
    ///   - hosts: The names under which the page may be opened, by the configuration in use.
    ///   - limits: Sizes and times of the public listener, which are those of the forms, too.
    package init(
        operators responder: some HTTPResponder<BasicRequestContext>,
        forms endpoints: @escaping @Sendable () -> PublicEndpoints,
        hosts: @escaping @Sendable () -> PageHosts,
        limits: ConnectionLimits
    ) {
        let router = RouterAnswers(responder: responder)
        self.init(
            limits: limits.lettingIn(Self.maximumConnectionsOfOthers),
            guests: .operators(
                at: AdminAPI.methods,
                pages: OperatorsPage.methods,
                hosts: hosts,
                of: endpoints
            ),
            telemetry: nil,
            fields: AdminAPI.protection,
            answer: { request in
                if let endpoints = request.endpoints {
                    endpoints.answerOperator(request)
                } else {
                    router.answer(request)
                }
            }
        )
    }

    /// The rules of Apple's listener, which answers everybody, and takes what Apple sends.
    ///
    /// - Parameters:
    ///   - responder: Answers the requests.
    ///   - metrics: Counts the requests.
    ///   - logger: Where requests have their lines, at the level info.
    public init(apple responder: some HTTPResponder<BasicRequestContext>, metrics: RequestMetrics, logger: Logger) {
        let limits = ConnectionLimits(
            maximumConnections: Self.maximumConnectionsOfOthers,
            maximumBodyBytes: NotificationsAPI.maximumBodyBytes
        )
        self.init(apple: responder, limits: limits, metrics: metrics, logger: logger)
    }

    /// The rules of Apple's listener with other limits, for tests.
    init(
        apple responder: some HTTPResponder<BasicRequestContext>,
        limits: ConnectionLimits,
        metrics: RequestMetrics,
        logger: Logger
    ) {
        self.init(
            limits: limits,
            guests: .everybody(at: NotificationsAPI.methods),
            telemetry: RequestTelemetry(metrics: metrics, logger: logger),
            answer: RouterAnswers(responder: responder).answer
        )
    }

    private init(
        limits: ConnectionLimits,
        guests: Gate.Guests,
        telemetry: RequestTelemetry?,
        fields: [(name: String, value: String)] = [],
        answer: @escaping @Sendable (Request) -> Void
    ) {
        let census = ConnectionCensus()
        self.limits = limits
        self.census = census
        tls = nil
        setups = LoopSetups { _ in
            ConnectionSetup(
                limits: limits,
                census: census,
                guests: guests,
                telemetry: telemetry,
                fields: fields,
                answer: answer
            )
        }
    }

    /// The rules of the public listener, which answers clients alone.
    ///
    /// Each event loop has a queue of its own, whose requests are answered together, and a bound of its own.
    ///
    /// - Parameters:
    ///   - limits: Sizes, times, and how much may wait.
    ///   - census: The listener's connections.
    ///   - tls: What TLS shows; `nil` for plain HTTP.
    ///   - endpoints: What answers, by the configuration in use.
    ///   - metrics: Counts the requests.
    ///   - logger: Where requests have their lines, at the level info.
    ///   - faults: Logs the service's own faults.
    public init(
        limits: ConnectionLimits,
        census: ConnectionCensus,
        tls: TLSIdentity?,
        endpoints: @escaping @Sendable () -> PublicEndpoints,
        metrics: RequestMetrics,
        logger: Logger,
        faults: RepeatedFaults
    ) {
        self.limits = limits
        self.census = census
        self.tls = tls
        let telemetry = RequestTelemetry(metrics: metrics, logger: logger, faults: faults)
        setups = LoopSetups { loop in
            let queue = TickQueue(on: loop, notingIn: telemetry.metrics)
            return ConnectionSetup(
                limits: limits,
                census: census,
                tls: tls,
                guests: .clients(of: endpoints),
                admission: Admission(maximumOffers: limits.maximumWaitingOffers),
                telemetry: telemetry,
                answer: queue.add
            )
        }
    }
}
