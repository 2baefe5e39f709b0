/// How long the service waits for PostgreSQL, and how much may wait.
package struct PostgreSQLLimits: Equatable, Sendable {
    /// How long making a connection may take, with all that is set up on it, where the URL has one host.
    package var connecting = Duration.seconds(3)
    /// The same for each of several hosts; after a failure, twice as long.
    package var connectingToOneOfMany = Duration.seconds(1)
    /// How long the server may work on one statement (`statement_timeout`).
    package var statement = Duration.seconds(4)
    /// How long a statement may wait for another transaction (`lock_timeout`).
    package var lock = Duration.seconds(4)
    /// How long the answers to one batch of statements may take, network included: so long a server that falls silent is
    /// waited for before another one is tried.
    package var batch = Duration.seconds(5)
    /// How long a transaction may take in all, where the server can end it (`transaction_timeout`).
    ///
    /// The commands that verify a ledger read it in one.
    package var transaction = Duration.seconds(3600)
    /// How long a piece of work may wait for its turn or for the connection to come back.
    package var waiting = Duration.seconds(3)
    /// How long a caller in a hurry waits for an answer.
    package var answering = Duration.seconds(1)
    /// How many pieces of work may wait for one connection.
    package var queue = 10_000

    package init() {}
}

/// How long to pause between attempts that fail: twice as long each time, half of it by chance.
///
/// By chance, so that replicas which lost their server together do not come back together. Pure arithmetic.
struct Backoff: Sendable {
    static let first = Duration.milliseconds(100)
    static let longest = Duration.seconds(2)

    private var failures = 0

    /// Records one more failure; the chance is a random number from 0 to 1.
    mutating func pause(chance: Double) -> Duration {
        let whole = min(Self.first * (1 << min(failures, 10)), Self.longest)
        failures += 1
        return whole / 2 + whole / 2 * chance
    }

    /// Records a success: the next pause is a short one again.
    mutating func reset() { failures = 0 }
}
