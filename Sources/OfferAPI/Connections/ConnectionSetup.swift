import NIOCore
import Synchronization

/// The parts that all connections of a listener on one event loop share.
final class ConnectionSetup {
    let gate: Gate
    let census: ConnectionCensus
    /// `nil` where TLS is not spoken.
    let tls: TLSIdentity?
    /// `nil` where requests are not counted.
    let telemetry: RequestTelemetry?
    /// Has a complete request answered.
    let answer: (Request) -> Void
    /// The header fields of every answer.
    let fields: [(name: String, value: String)]
    /// The paths that are answered even on connections beyond the limit.
    let sparePaths: Set<String>
    let date = HTTPDate()
    /// The connections of this event loop, where a new one may take another's place.
    private var connections: [ObjectIdentifier: Connection] = [:]
    private let makesRoom: Bool

    init(
        gate: Gate,
        census: ConnectionCensus,
        tls: TLSIdentity? = nil,
        telemetry: RequestTelemetry?,
        fields: [(name: String, value: String)] = [],
        makesRoom: Bool = false,
        sparePaths: Set<String> = [],
        answer: @escaping (Request) -> Void
    ) {
        self.gate = gate
        self.census = census
        self.tls = tls
        self.telemetry = telemetry
        self.fields = fields
        self.makesRoom = makesRoom
        self.sparePaths = sparePaths
        self.answer = answer
    }

    var limits: ConnectionLimits { gate.limits }

    /// The bound on waiting requests; `nil` for none.
    var admission: Admission? { gate.admission }

    func opened(_ connection: Connection) {
        if makesRoom { connections[ObjectIdentifier(connection)] = connection }
    }

    func closed(_ connection: Connection) {
        if makesRoom { connections[ObjectIdentifier(connection)] = nil }
    }

    /// Closes the connection whose client has kept it waiting longest; `false` where there was none.
    func closeMostSilent() -> Bool {
        let silent = connections.values.compactMap { one in one.silentSince.map { (connection: one, since: $0) } }
        guard let longest = silent.min(by: { $0.since < $1.since })?.connection else { return false }
        closed(longest)
        longest.channel?.close(promise: nil)
        return true
    }
}

@available(*, unavailable)
extension ConnectionSetup: Sendable {}

/// The setups of a listener, one for each event loop, each made when first needed.
final class LoopSetups: Sendable {
    private let make: @Sendable (_ loop: any EventLoop) -> ConnectionSetup
    private let setups = Mutex<[ObjectIdentifier: NIOLoopBound<ConnectionSetup>]>([:])

    init(_ make: @escaping @Sendable (_ loop: any EventLoop) -> ConnectionSetup) {
        self.make = make
    }

    func setup(on loop: any EventLoop) -> ConnectionSetup {
        let bound = setups.withLock { setups in
            if let known = setups[ObjectIdentifier(loop)] { return known }
            let new = NIOLoopBound(make(loop), eventLoop: loop)
            setups[ObjectIdentifier(loop)] = new
            return new
        }
        return bound.value
    }
}
