import Offers
import Synchronization

/// A client's recent and present requests; they outlive a reload.
final class ClientUsage: Sendable {
    private struct State {
        var signatures = CellRate()
        var openRequests = 0
    }

    private let state = Mutex(State())
    private let unfinished: ByteBudget
    private let unfinishedOfAll: ByteBudget

    init(unfinishedOfAll: ByteBudget) {
        self.unfinishedOfAll = unfinishedOfAll
        unfinished = ByteBudget(unfinishedOfAll.limit / 2)
    }

    /// Acquires bytes for an unfinished body; throws, and has none, beyond the client's (429) or the process's (503).
    func acquire(unfinishedBytes count: Int) throws(Problem) {
        guard unfinished.acquire(count) else { throw .tooManyUnfinishedBytes(limit: unfinished.limit) }
        guard unfinishedOfAll.acquire(count) else {
            unfinished.release(count)
            throw .overloaded
        }
    }

    func release(unfinishedBytes count: Int) {
        unfinished.release(count)
        unfinishedOfAll.release(count)
    }

    /// Returns `nil` when the signatures were acquired, otherwise the time after which they can be.
    func acquire(signatures count: Int, within limit: CellRate.Limit, at now: Duration) -> Duration? {
        state.withLock { $0.signatures.acquire(count, within: limit, at: now) }
    }

    /// The signatures that the client may ask for now, and the time until it may ask for a whole second's worth.
    func rate(within limit: CellRate.Limit, at now: Duration) -> (remaining: Int, backlog: Duration) {
        state.withLock { ($0.signatures.remaining(within: limit, at: now), $0.signatures.backlog(at: now)) }
    }

    /// Begins a request, which has to end; `false`, and no request, where the client has as many at once as it may.
    func begin(limit: Int) -> Bool {
        state.withLock { state in
            if state.openRequests >= limit { return false }
            state.openRequests += 1
            return true
        }
    }

    func end() {
        state.withLock { $0.openRequests -= 1 }
    }
}

final class ByteBudget: Sendable {
    let limit: Int
    private let acquired = Atomic(0)

    init(_ limit: Int) { self.limit = limit }

    /// Acquires bytes; `false`, and none of them, where too few are left.
    func acquire(_ count: Int) -> Bool {
        if acquired.add(count, ordering: .relaxed).newValue <= limit { return true }
        release(count)
        return false
    }

    func release(_ count: Int) { acquired.subtract(count, ordering: .relaxed) }
}

final class KnownToken: Sendable {
    let client: Client
    /// The token's place in the client's `tokenSHA256`, from 0.
    let place: Int
    /// `nil` for one that never ends.
    let expires: Timestamp?
    let usage: ClientUsage

    init(client: Client, place: Int, usage: ClientUsage) {
        self.client = client
        self.place = place
        self.usage = usage
        expires = client.expires[client.tokenSHA256[place]]
    }
}

/// The usage of all clients by name, handed to each new directory of clients.
package final class ClientUsages: Sendable {
    private let usages = Mutex<[String: ClientUsage]>([:])
    private let unfinishedBytes: ByteBudget

    package init(maximumUnfinishedBytes: Int = ConnectionLimits().maximumUnfinishedBytes) {
        unfinishedBytes = ByteBudget(maximumUnfinishedBytes)
    }

    func usage(of name: String) -> ClientUsage {
        usages.withLock { usages in
            if let known = usages[name] { return known }
            let new = ClientUsage(unfinishedOfAll: unfinishedBytes)
            usages[name] = new
            return new
        }
    }
}
