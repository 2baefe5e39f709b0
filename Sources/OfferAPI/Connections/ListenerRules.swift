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

    /// The rules of the operators' listener, whose `calls` answer everybody, but for the page's forms: by these endpoints,
    /// and clients alone.
    package init(
        operators calls: [Call],
        forms endpoints: @escaping @Sendable () -> PublicEndpoints,
        hosts: @escaping @Sendable () -> PageHosts,
        limits: ConnectionLimits
    ) {
        self.init(
            Gate(
                limits: limits.lettingIn(Self.maximumConnectionsOfOthers),
                calls: calls,
                endpoints: endpoints,
                hosts: hosts
            ),
            telemetry: nil,
            fields: AdminAPI.protection,
            sparePaths: AdminAPI.probes
        )
    }

    /// The rules of Apple's listener, which answers everybody.
    package init(
        apple calls: [Call],
        limits: ConnectionLimits,
        metrics: RequestMetrics,
        logger: Logger,
        faults: RepeatedFaults
    ) {
        let bytes = NotificationsAPI.maximumBodyBytes
        let limits = limits.lettingIn(Self.maximumConnectionsOfOthers, maximumBodyBytes: bytes)
        self.init(
            Gate(limits: limits, calls: calls),
            telemetry: RequestTelemetry(metrics: metrics, logger: logger, faults: faults, isForClients: false)
        )
    }

    private init(
        _ gate: Gate,
        telemetry: RequestTelemetry?,
        fields: [(name: String, value: String)] = [],
        sparePaths: Set<String> = []
    ) {
        let census = ConnectionCensus()
        limits = gate.limits
        self.census = census
        tls = nil
        eventLoops = Self.loopOfOthers
        setups = LoopSetups { _ in
            ConnectionSetup(
                gate: gate,
                census: census,
                telemetry: telemetry,
                fields: fields,
                makesRoom: true,
                sparePaths: sparePaths
            ) { request in
                switch request.call?.handler {
                case .inTask(let answer):
                    let body = request.body
                    request.wait { () async throws(Problem) in try await answer(body) }
                default: _ = request.endpoints?.answer([request], on: request.loop)
                }
            }
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
        let gate = Gate(limits: limits, calls: Call.all, endpoints: endpoints, admission: admission)
        setups = LoopSetups { loop in
            let queue = TickQueue(on: loop, notingIn: telemetry.metrics)
            return ConnectionSetup(
                gate: gate,
                census: census,
                tls: tls,
                telemetry: telemetry,
                answer: queue.add
            )
        }
    }
}
