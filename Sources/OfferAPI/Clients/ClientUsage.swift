import Synchronization

/// What a client has asked for lately, and is asking for now: it outlives a reload.
final class ClientUsage: Sendable {
    private struct State {
        var signatures = CellRate()
        var openRequests = 0
    }

    private let state = Mutex(State())

    /// Takes signatures from the client's rate.
    ///
    /// - Parameters:
    ///   - count: How many are asked for.
    ///   - limit: The client's rate.
    ///   - now: The time.
    /// - Returns: `nil` when they were taken; otherwise after how long they can be.
    func take(signatures count: Int, within limit: CellRate.Limit, at now: Duration) -> Duration? {
        state.withLock { $0.signatures.take(count, within: limit, at: now) }
    }

    /// How the client stands with its rate.
    func standing(within limit: CellRate.Limit, at now: Duration) -> (remaining: Int, backlog: Duration) {
        state.withLock { ($0.signatures.remaining(within: limit, at: now), $0.signatures.backlog(at: now)) }
    }

    /// Begins a request.
    ///
    /// - Parameter limit: How many the client may have at once.
    /// - Returns: Whether it may be answered; only then it has to end.
    func begin(limit: Int) -> Bool {
        state.withLock { state in
            if state.openRequests >= limit { return false }
            state.openRequests += 1
            return true
        }
    }

    /// Ends a request.
    func end() {
        state.withLock { $0.openRequests -= 1 }
    }
}

/// What all clients have asked for, by their names: made once, and handed to each new directory of clients.
public final class ClientUsages: Sendable {
    private let usages = Mutex<[String: ClientUsage]>([:])

    /// Begins without any client.
    public init() {}

    /// The usage of a client.
    func usage(of name: String) -> ClientUsage {
        usages.withLock { usages in
            if let known = usages[name] { return known }
            let new = ClientUsage()
            usages[name] = new
            return new
        }
    }
}
