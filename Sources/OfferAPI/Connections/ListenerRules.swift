package import Hummingbird
package import Logging
import NIOCore
import NIOPosix

/// The limits of a listener's connections, and the parts that judge and answer their requests.
package struct ListenerRules: Sendable {
    package let limits: ConnectionLimits
    package let census: ConnectionCensus
    /// `nil` for plain HTTP.
    package let tls: TLSIdentity?
    let setups: LoopSetups
    /// Clients' requests have those that the process shares.
    let eventLoops: MultiThreadedEventLoopGroup

    /// The connections of a listener that is not public; the next one takes the place of the most silent.
    ///
    /// Apple and monitoring need a few, and strangers get no more memory and sockets than these.
    package static let maximumConnectionsOfOthers = 256

    /// The event loops of clients' requests.
    package static var eventLoopCount: Int { NIOSingletons.groupLoopCountSuggestion }

    /// The event loop of Apple and the operators, who are answered also while clients keep the others at work.
    private static let loopOfOthers = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// The rules of the operators' listener, which answers everybody; the forms of its page, if it has one, answer
    /// clients alone.
    package init(
        operators responder: some HTTPResponder<BasicRequestContext>,
        page: (forms: @Sendable () -> PublicEndpoints, hosts: @Sendable () -> PageHosts)?,
        limits: ConnectionLimits
    ) {
        let router = RouterAnswers(responder: responder)
        let callers: Gate.Callers =
            if let page {
                .operators(at: AdminAPI.methods, pages: OperatorsPage.methods, hosts: page.hosts, of: page.forms)
            } else {
                .everybody(at: AdminAPI.methods)
            }
        self.init(
            limits: limits.lettingIn(Self.maximumConnectionsOfOthers),
            callers: callers,
            telemetry: nil,
            fields: AdminAPI.protection,
            sparePaths: AdminAPI.probes,
            answer: { request in
                if let endpoints = request.endpoints {
                    _ = endpoints.answer([request], on: request.loop)
                } else {
                    router.answer(request)
                }
            }
        )
    }

    /// The rules of Apple's listener, which answers everybody.
    package init(
        apple responder: some HTTPResponder<BasicRequestContext>,
        limits: ConnectionLimits,
        metrics: RequestMetrics,
        logger: Logger,
        faults: RepeatedFaults
    ) {
        let bytes = NotificationsAPI.maximumBodyBytes
        self.init(
            limits: limits.lettingIn(Self.maximumConnectionsOfOthers, maximumBodyBytes: bytes),
            callers: .everybody(at: NotificationsAPI.methods),
            telemetry: RequestTelemetry(metrics: metrics, logger: logger, faults: faults, isForClients: false),
            answer: RouterAnswers(responder: responder).answer
        )
    }

    private init(
        limits: ConnectionLimits,
        callers: Gate.Callers,
        telemetry: RequestTelemetry?,
        fields: [(name: String, value: String)] = [],
        sparePaths: Set<String> = [],
        answer: @escaping @Sendable (Request) -> Void
    ) {
        let census = ConnectionCensus()
        self.limits = limits
        self.census = census
        tls = nil
        eventLoops = Self.loopOfOthers
        setups = LoopSetups { _ in
            ConnectionSetup(
                limits: limits,
                census: census,
                callers: callers,
                telemetry: telemetry,
                fields: fields,
                makesRoom: true,
                sparePaths: sparePaths,
                answer: answer
            )
        }
    }

    /// The rules of the public listener, which answers clients alone.
    ///
    /// Each event loop has a queue of its own, whose requests are answered together; the bound is one for all of them.
    package init(
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
        eventLoops = .singleton
        let telemetry = RequestTelemetry(metrics: metrics, logger: logger, faults: faults)
        let admission = Admission(
            maximumOffers: limits.maximumWaitingOffers,
            maximumElsewhere: Admission.elsewherePerLoop * Self.eventLoopCount
        )
        setups = LoopSetups { loop in
            let queue = TickQueue(on: loop, notingIn: telemetry.metrics)
            return ConnectionSetup(
                limits: limits,
                census: census,
                tls: tls,
                callers: .clients(of: endpoints),
                admission: admission,
                telemetry: telemetry,
                answer: queue.add
            )
        }
    }
}
