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
    private let makeSetup: @Sendable (_ loop: any EventLoop, _ number: Int) -> HTTPConnectionSetup

    /// How many connections a listener may have that is not the public one: Apple and monitoring need a few, and strangers,
    /// who may open them, get no more memory and sockets than so many take.
    public static let maximumConnectionsOfOthers = 256

    /// How many event loops the listeners of the process share.
    public static var eventLoopCount: Int { NIOSingletons.groupLoopCountSuggestion }

    /// The rules of a listener that answers everybody.
    ///
    /// - Parameter limits: Sizes and times.
    public init(limits: ConnectionLimits = ConnectionLimits(maximumConnections: maximumConnectionsOfOthers)) {
        let census = ConnectionCensus()
        self.limits = limits
        self.census = census
        tls = nil
        makeSetup = { _, _ in
            HTTPConnectionSetup(
                limits: limits,
                census: census,
                judge: { _, _ in .admit(maximumBodyBytes: limits.maximumBodyBytes) }
            )
        }
    }

    /// The rules of the notifications listener, which answers everybody, and takes what Apple sends.
    ///
    /// - Parameters:
    ///   - metrics: Where refused requests are counted.
    ///   - logger: Where refused requests have their lines, at the level info.
    public init(notificationsCountedBy metrics: RequestMetrics, logger: Logger) {
        let limits = ConnectionLimits(
            maximumConnections: Self.maximumConnectionsOfOthers,
            maximumBodyBytes: NotificationsAPI.maximumBodyBytes
        )
        let census = ConnectionCensus()
        let telemetry = RequestTelemetry(metrics: metrics, logger: logger)
        self.limits = limits
        self.census = census
        tls = nil
        makeSetup = { _, _ in
            HTTPConnectionSetup(
                limits: limits,
                census: census,
                judge: { _, _ in .admit(maximumBodyBytes: limits.maximumBodyBytes) },
                noteRefusal: { telemetry.note($0, $1, $2) }
            )
        }
    }

    /// The rules of the public listener, which answers clients alone.
    ///
    /// - Parameters:
    ///   - limits: Sizes and times.
    ///   - census: The listener's connections.
    ///   - tls: What TLS shows; `nil` for plain HTTP.
    ///   - failures: Who has shown tokens that are nobody's.
    ///   - admission: What lets requests in while there is not too much to do.
    ///   - answers: What an event loop lets in and answers by itself, asked once for each, by a number that counts them
    ///     from 0.
    public init(
        limits: ConnectionLimits,
        census: ConnectionCensus,
        tls: TLSIdentity?,
        failures: FailedAuthentications,
        admission: AdmissionControl,
        answers: @escaping @Sendable (_ loop: Int) -> LoopAnswers
    ) {
        self.limits = limits
        self.census = census
        self.tls = tls
        makeSetup = { loop, number in
            let answers = answers(number)
            let (endpoints, telemetry) = (answers.endpoints, answers.telemetry)
            let gate = PublicGate(limits: limits, clients: { endpoints().clients }, failures: failures)
            return HTTPConnectionSetup(
                limits: limits,
                census: census,
                judge: { head, address in gate.judge(head, from: address) },
                tls: tls,
                admission: admission,
                queue: LoopQueue(on: loop, answeredBy: OffersOnLoop(endpoints: endpoints, telemetry: telemetry)),
                noteRefusal: { telemetry.note($0, $1, $2, among: endpoints().clients) },
                noteTLSFailure: { telemetry.noteTLSFailure($0) }
            )
        }
    }

    /// What the connections of each event loop get.
    var setups: LoopSetups { LoopSetups(makeSetup) }
}
