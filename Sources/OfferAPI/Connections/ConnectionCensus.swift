import Synchronization

/// How many connections a listener has, what it could not finish, and whether it is on its way out.
public final class ConnectionCensus: Sendable {
    private let connections = Atomic(0)
    private let draining = Atomic(false)
    private let unfinished = Atomic(0)

    /// Creates the census of a listener without connections.
    public init() {}

    /// How many connections are open.
    public var openConnections: Int { connections.load(ordering: .relaxed) }

    /// Whether every answer closes its connection.
    public var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// From now on every answer says `Connection: close` and closes its connection.
    public func drain() { draining.store(true, ordering: .relaxed) }

    /// How many requests were not answered as they should, as there was no time left.
    public var requestsCutOff: Int { unfinished.load(ordering: .relaxed) }

    /// There is no time left for a request.
    func requestCutOff() { unfinished.add(1, ordering: .relaxed) }

    /// Notes a new connection.
    ///
    /// - Returns: How many there are with it.
    func connectionOpened() -> Int { connections.add(1, ordering: .relaxed).newValue }

    func connectionClosed() { connections.subtract(1, ordering: .relaxed) }
}
