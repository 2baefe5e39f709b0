import Glibc
package import Offers
import Synchronization

/// How much a client has asked for lately, how much it is asking for now, and which tokens it shows.
///
/// It outlives a reload.
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

    /// Takes bytes for a body that is not all there.
    ///
    /// - Throws: `Problem` 429 where the client has no more, 503 where nobody has; nothing is taken then.
    func take(unfinishedBytes count: Int) throws(Problem) {
        guard unfinished.take(count) else { throw .tooManyUnfinishedBytes(limit: unfinished.limit) }
        guard unfinishedOfAll.take(count) else {
            unfinished.giveBack(count)
            throw .overloaded
        }
    }

    /// Gives bytes back that were taken.
    func giveBack(unfinishedBytes count: Int) {
        unfinished.giveBack(count)
        unfinishedOfAll.giveBack(count)
    }

    /// Takes signatures from the client's rate.
    ///
    /// - Returns: `nil` when they were taken; otherwise after how long they can be.
    func take(signatures count: Int, within limit: CellRate.Limit, at now: Duration) -> Duration? {
        state.withLock { $0.signatures.take(count, within: limit, at: now) }
    }

    /// How many signatures the client may ask for now, and how long until it may ask for a whole second's worth.
    func rate(within limit: CellRate.Limit, at now: Duration) -> (remaining: Int, backlog: Duration) {
        state.withLock { ($0.signatures.remaining(within: limit, at: now), $0.signatures.backlog(at: now)) }
    }

    /// Begins a request, unless the client has as many at once as it may.
    ///
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

    /// The use of one of the client's tokens.
    func use(of token: TokenDigest) -> TokenUse {
        state.withLock { state in
            if let known = state.tokens[token] { return known }
            let new = TokenUse()
            state.tokens[token] = new
            return new
        }
    }
}

/// Bytes that may be taken, and are given back.
final class ByteBudget: Sendable {
    /// How many there are.
    let limit: Int
    private let taken = Atomic(0)

    init(_ limit: Int) { self.limit = limit }

    /// Takes some of them; `false`, and nothing is taken, where there are not so many.
    func take(_ count: Int) -> Bool {
        if taken.add(count, ordering: .relaxed).newValue <= limit { return true }
        giveBack(count)
        return false
    }

    /// Gives some of them back.
    func giveBack(_ count: Int) { taken.subtract(count, ordering: .relaxed) }
}

/// When a token was last shown, to the second: so event loops write to it no more often.
final class TokenUse: Sendable {
    private let second = Atomic<Int64>(.min)

    /// The moment; `nil` before the first time since the start.
    var lastUsed: Timestamp? {
        let second = second.load(ordering: .relaxed)
        return second == .min ? nil : Timestamp(millisecondsSince1970: second * 1000)
    }

    /// Notes that it was shown.
    func note(atSecond now: Int64 = Int64(time(nil))) {
        if second.load(ordering: .relaxed) != now { second.store(now, ordering: .relaxed) }
    }
}

/// When a client's tokens were last shown to this process: an old one can go when only the new one is.
package struct ClientTokenUse: Equatable, Sendable {
    /// The client's name.
    package let client: String
    /// The last use of each token, in the order of `tokenSHA256`; `nil` for a token not used since the start.
    package let lastUsed: [Timestamp?]
}

/// A client, found by one of its tokens.
final class KnownToken: Sendable {
    let client: Client
    /// The token's place in the client's `tokenSHA256`, from 0.
    let place: Int
    let use: TokenUse
    /// The client's usage.
    let usage: ClientUsage

    init(client: Client, place: Int, use: TokenUse, usage: ClientUsage) {
        self.client = client
        self.place = place
        self.use = use
        self.usage = usage
    }
}

/// The usage of all clients, by their names: made once, and handed to each new directory of clients.
package final class ClientUsages: Sendable {
    private let usages = Mutex<[String: ClientUsage]>([:])
    private let unfinishedBytes: ByteBudget

    /// Begins without any client.
    package init(maximumUnfinishedBytes: Int = ConnectionLimits().maximumUnfinishedBytes) {
        unfinishedBytes = ByteBudget(maximumUnfinishedBytes)
    }

    /// The usage of a client.
    func usage(of name: String) -> ClientUsage {
        usages.withLock { usages in
            if let known = usages[name] { return known }
            let new = ClientUsage(unfinishedOfAll: unfinishedBytes)
            usages[name] = new
            return new
        }
    }
}
