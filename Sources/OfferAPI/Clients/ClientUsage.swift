import Glibc
package import Offers
import Synchronization

/// A client's recent and present requests and the tokens that it shows; it outlives a reload.
final class ClientUsage: Sendable {
    private struct State {
        var signatures = CellRate()
        var openRequests = 0
        var tokens: [TokenDigest: TokenUse] = [:]
    }

    private let state = Mutex(State())
    private let unfinished: ByteBudget
    private let unfinishedOfAll: ByteBudget

    init(unfinishedOfAll: ByteBudget) {
        self.unfinishedOfAll = unfinishedOfAll
        unfinished = ByteBudget(unfinishedOfAll.limit / 2)
    }

    /// Takes bytes for an unfinished body; throws, and takes none, beyond the client's (429) or the process's (503).
    func take(unfinishedBytes count: Int) throws(Problem) {
        guard unfinished.take(count) else { throw .tooManyUnfinishedBytes(limit: unfinished.limit) }
        guard unfinishedOfAll.take(count) else {
            unfinished.giveBack(count)
            throw .overloaded
        }
    }

    func giveBack(unfinishedBytes count: Int) {
        unfinished.giveBack(count)
        unfinishedOfAll.giveBack(count)
    }

    /// Returns `nil` when the signatures were taken, otherwise the time after which they can be.
    func take(signatures count: Int, within limit: CellRate.Limit, at now: Duration) -> Duration? {
        state.withLock { $0.signatures.take(count, within: limit, at: now) }
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

    func use(of token: TokenDigest) -> TokenUse {
        state.withLock { state in
            if let known = state.tokens[token] { return known }
            let new = TokenUse()
            state.tokens[token] = new
            return new
        }
    }
}

final class ByteBudget: Sendable {
    let limit: Int
    private let taken = Atomic(0)

    init(_ limit: Int) { self.limit = limit }

    /// Takes bytes; `false`, and nothing is taken, where too few are left.
    func take(_ count: Int) -> Bool {
        if taken.add(count, ordering: .relaxed).newValue <= limit { return true }
        giveBack(count)
        return false
    }

    func giveBack(_ count: Int) { taken.subtract(count, ordering: .relaxed) }
}

/// The last use of a token, to the second: so event loops write to it no more often.
final class TokenUse: Sendable {
    private let second = Atomic<Int64>(.min)

    /// The moment; `nil` before the first use since the start.
    var lastUsed: Timestamp? {
        let second = second.load(ordering: .relaxed)
        return second == .min ? nil : Timestamp(millisecondsSince1970: second * 1000)
    }

    func note(atSecond now: Int64 = Int64(time(nil))) {
        if second.load(ordering: .relaxed) != now { second.store(now, ordering: .relaxed) }
    }
}

/// The last use of a client's tokens in this process: an old one can go when only the new one is used.
package struct ClientTokenUse: Equatable, Sendable {
    package let client: String
    /// The last use of each token, in the order of `tokenSHA256`; `nil` for a token not used since the start.
    package let lastUsed: [Timestamp?]
}

final class KnownToken: Sendable {
    let client: Client
    /// The token's place in the client's `tokenSHA256`, from 0.
    let place: Int
    let use: TokenUse
    let usage: ClientUsage

    init(client: Client, place: Int, use: TokenUse, usage: ClientUsage) {
        self.client = client
        self.place = place
        self.use = use
        self.usage = usage
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
