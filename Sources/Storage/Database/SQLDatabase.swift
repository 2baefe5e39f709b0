package import Offers

/// A connection that runs SQL, within a transaction or a read of one snapshot.
package protocol Session {
    var dialect: SQLDialect { get }

    /// Runs statements in their order; PostgreSQL gets them all at once.
    func run(_ calls: [SQLCall]) throws(StorageFailure) -> [Rows]

    @discardableResult
    func run(_ call: SQLCall) throws(StorageFailure) -> Rows

    /// Runs a statement whose result is not needed: PostgreSQL gets it with the next one, or with the commit, which fails
    /// in its place.
    func send(_ call: SQLCall) throws(StorageFailure)

    /// Runs a statement whose rows may have these cells alone: PostgreSQL gets it with the next one, or with the commit, and
    /// a commit that was answered otherwise is reported as failed.
    func expect(_ call: SQLCall, _ cells: [SQLValue]) throws(StorageFailure)

    /// Locks a row of ``LockRows`` until the transaction ends. SQLite has only one writer at a time, and does nothing.
    func lock(_ row: Int64) throws(StorageFailure)

    /// Shows that a chain's writer lives, for as long as the connection lasts and as far as nobody keeps it from that.
    ///
    /// `true` where this connection does so for the first time: then the server may be another one than before.
    func hold(_ writer: String) throws(StorageFailure) -> Bool

    /// The writers of these that are surely gone: none can come back before the transaction ends.
    func gone(of writers: [String]) throws(StorageFailure) -> Set<String>
}

extension Session {
    @discardableResult
    func run(_ sql: String, _ values: SQLValue...) throws(StorageFailure) -> Rows { try run(SQLCall(sql, values)) }

    @discardableResult
    func run(_ call: SQLCall) throws(StorageFailure) -> Rows {
        guard let rows = try run([call]).first else {
            throw StorageFailure(.malformed, "a statement was not answered")
        }
        return rows
    }
}

package enum SQLDialect: Sendable {
    case sqlite
    case postgreSQL
}

/// The purpose that a database is opened for.
package enum SQLAccess: Sendable {
    /// Reads and writes, and makes what is missing, the file too.
    case readWrite
    /// Reads and writes a ledger that is there, and makes tables that it does not have yet.
    case existing
    /// Reads what is there, and makes and changes nothing but SQLite's own `-wal` and `-shm`.
    case readOnly
}

/// A database: an SQLite file, or a PostgreSQL database that several services share.
package protocol SQLDatabase: Sendable {
    /// The file, or the server and the database, for messages.
    var name: String { get }

    var dialect: SQLDialect { get }

    /// Reads one snapshot, and blocks meanwhile: not to be called from the cooperative pool.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value

    /// Reads one snapshot on the calling thread, which may be an event loop's: it never waits, and gives `nil` where it would
    /// have to, as for a server.
    func readAtOnce<Value>(
        _ body: (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value?

    /// Reads one snapshot beside other work, within a short time limit.
    ///
    /// PostgreSQL is asked without a transaction: what has to be of one moment is one statement.
    func answer<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) async throws(StorageFailure) -> Value

    /// Writes in one transaction, and blocks meanwhile: not to be called from the cooperative pool.
    ///
    /// When it returns all is on durable storage; when it throws nothing is written, as far as is known. The body may be
    /// called again where another transaction was in the way. It has rows of ``LockRows``, one for each thing that it
    /// changes, such as a customer's counts or a writer's chain: transactions that share none run at the same time.
    func transaction<Value: Sendable>(
        _ lane: SQLLane,
        locking rows: Set<Int64>,
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value

    /// Whether this process is the first that asked of those that have an SQLite file open; `nil` of a server.
    var leads: Bool? { get }
}

/// The connection that writes, where there are several.
package enum SQLLane: Sendable {
    /// The ledger's own.
    case ledger
    /// Beside it.
    case beside
    /// Beside it, and once more if the connection breaks: the work is idempotent.
    case repeatable
}

extension SQLDatabase {
    /// Writes in one transaction that needs no lock.
    func transaction<Value: Sendable>(
        _ lane: SQLLane,
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value {
        try transaction(lane, locking: [], body)
    }
}

extension StorageFailure {
    /// Why nothing leaves: what was read back is not what was written.
    static let notKept = StorageFailure(
        .malformed,
        "the database did not keep what was written to it: see what `offer-signer ledger verify` says"
    )
}

/// Writes items; where the store refuses them for a value, each half by itself, down to the item at fault.
///
/// It throws what keeps the store from taking anything now; what was written before stands.
func writeInHalves<Item>(
    _ items: ArraySlice<Item>,
    _ write: (ArraySlice<Item>) throws(StorageFailure) -> Void,
    refused: (Item, StorageFailure) -> Void
) throws(StorageFailure) {
    do throws(StorageFailure) {
        try write(items)
    } catch {
        guard error.code == .refused, let first = items.first else { throw error }
        guard items.count > 1 else { return refused(first, error) }
        let middle = items.startIndex + items.count / 2
        try writeInHalves(items[..<middle], write, refused: refused)
        try writeInHalves(items[middle...], write, refused: refused)
    }
}
