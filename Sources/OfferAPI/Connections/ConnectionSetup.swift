import NIOCore
import Synchronization

/// The parts that all connections of a listener on one event loop share.
final class ConnectionSetup {
    /// Sizes and times.
    let limits: ConnectionLimits
    /// The listener's connections.
    let census: ConnectionCensus
    /// TLS for the next connection; `nil` where it is not spoken.
    let tls: TLSIdentity?
    /// Judges requests by their heads.
    let gate: Gate
    /// How much may wait; `nil` for any number.
    let admission: Admission?
    /// Counts requests and writes their lines; `nil` where they are not counted.
    let telemetry: RequestTelemetry?
    /// Has a complete request answered.
    let answer: (Request) -> Void
    /// The header fields that every answer has.
    let fields: [(name: String, value: String)]
    /// The time that answers carry.
    let date = HTTPDate()

    init(
        limits: ConnectionLimits,
        census: ConnectionCensus,
        tls: TLSIdentity? = nil,
        guests: Gate.Guests,
        admission: Admission? = nil,
        telemetry: RequestTelemetry?,
        fields: [(name: String, value: String)] = [],
        answer: @escaping (Request) -> Void
    ) {
        self.limits = limits
        self.census = census
        self.tls = tls
        gate = Gate(limits: limits, guests: guests, admission: admission)
        self.admission = admission
        self.telemetry = telemetry
        self.fields = fields
        self.answer = answer
    }
}

@available(*, unavailable)
extension ConnectionSetup: Sendable {}

/// The setups of a listener, for each event loop its own.
final class LoopSetups: Sendable {
    private let make: @Sendable (_ loop: any EventLoop) -> ConnectionSetup
    private let setups = Mutex<[ObjectIdentifier: NIOLoopBound<ConnectionSetup>]>([:])

    /// Creates the setups, of which each is made when it is needed.
    init(_ make: @escaping @Sendable (_ loop: any EventLoop) -> ConnectionSetup) {
        self.make = make
    }

    /// The setup of an event loop.
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
