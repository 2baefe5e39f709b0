import Crypto
package import Offers

/// A connection that runs SQL, within a transaction or a read of one snapshot.
package protocol Session {
    /// The database's dialect, for the few statements that differ.
    var dialect: SQLDialect { get }

    /// Runs statements in their order.
    ///
    /// - Parameter calls: The statements; PostgreSQL gets them all at once.
    /// - Returns: What each of them answered.
    /// - Throws: ``StorageFailure``.
    func run(_ calls: [SQLCall]) throws(StorageFailure) -> [Rows]

    /// Runs a statement whose only answer may be these cells: PostgreSQL gets it with the next one, or with the commit, and a
    /// commit that was answered otherwise is reported as failed.
    ///
    /// - Parameters:
    ///   - call: The statement.
    ///   - cells: The cells of all rows.
    /// - Throws: ``StorageFailure``, here or by what comes next.
    func expect(_ call: SQLCall, _ cells: [SQLValue]) throws(StorageFailure)

    /// Runs a statement whose only answer may be these records: SQLite compares them where it has them.
    ///
    /// - Throws: ``StorageFailure``, here or by what comes next.
    func expect(_ call: SQLCall, _ records: [LedgerRecord]) throws(StorageFailure)

    /// The differences of the schema to that which the migrations make, in a few words each.
    ///
    /// - Throws: ``StorageFailure``.
    func schemaDifferences() throws(StorageFailure) -> [String]

    /// Runs a statement whose result is not needed: PostgreSQL gets it with the next one, or with the commit.
    ///
    /// - Parameter call: The statement.
    /// - Throws: ``StorageFailure``, here or by what comes next.
    func send(_ call: SQLCall) throws(StorageFailure)

    /// Adds records to the ledger, and notes the customers that subscriptions were presented for: SQLite takes them value by
    /// value, and PostgreSQL all rows in one statement, with the next one.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - presentations: Each subscription with its customers, and when it was presented last.
    /// - Throws: ``StorageFailure``, here or by what comes next.
    func insert(
        _ records: [LedgerRecord],
        _ presentations: [PresentedSubscription: [[UInt8]: Int64]]
    ) throws(StorageFailure)

    /// Takes a lock until the transaction ends. SQLite has only one writer at a time, and does nothing here.
    ///
    /// - Parameter key: The lock's key, see ``AdvisoryLocks``.
    /// - Throws: ``StorageFailure``.
    func lock(_ key: Int64) throws(StorageFailure)

    /// Marks a writer of the ledger as alive for as long as the connection lasts.
    ///
    /// - Parameter writer: The writer.
    /// - Returns: Whether this connection does so for the first time: then the server may be another one than before.
    /// - Throws: ``StorageFailure``.
    func hold(_ writer: String) throws(StorageFailure) -> Bool

    /// Takes locks without waiting, until the transaction ends; other transactions may already hold some.
    ///
    /// - Parameter keys: The locks' keys.
    /// - Returns: Those that other transactions hold.
    /// - Throws: ``StorageFailure``.
    func kept(of keys: [Int64]) throws(StorageFailure) -> Set<Int64>

    /// Finds the writers of the ledger that are surely gone; none can come back before the transaction ends.
    ///
    /// - Parameter writers: The writers in question.
    /// - Returns: The writers that are gone.
    /// - Throws: ``StorageFailure``.
    func gone(of writers: [String]) throws(StorageFailure) -> Set<String>
}

extension Session {
    /// Runs a statement.
    @discardableResult
    func run(_ sql: String, _ values: SQLValue...) throws(StorageFailure) -> Rows {
        guard let rows = try run([SQLCall(sql, values)]).first else {
            throw StorageFailure(.malformed, "a statement was not answered")
        }
        return rows
    }
}

/// The kind of database.
package enum SQLDialect: Sendable {
    case sqlite
    case postgreSQL
}

/// The locks of a transaction: others that take none of them may run at the same time.
package struct SQLLocks: Sendable {
    /// A lock for each thing that the transaction changes, such as a customer's counts or a writer's chain.
    var keys: Set<Int64> = []
    /// The lock of all of these: taken as shared with ``keys``, and exclusively if ``keys`` are too many for the
    /// server.
    var all: Int64?
}

/// A database: an SQLite file, or a PostgreSQL database that several services share.
package protocol SQLDatabase: LedgerArchive, OfferCountStore {
    /// The file, or the server and the database, for messages.
    var name: String { get }

    /// The database's dialect.
    var dialect: SQLDialect { get }

    /// Reads one snapshot, and blocks meanwhile: not to be called from the cooperative pool.
    ///
    /// - Parameter body: Reads.
    /// - Returns: What `body` returns.
    /// - Throws: ``StorageFailure``.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value

    /// Reads one snapshot on the calling thread, which may be an event loop's: it never waits.
    ///
    /// - Parameter body: Reads.
    /// - Returns: What `body` returns; `nil` where it would have to be waited for, as for a server.
    /// - Throws: ``StorageFailure``.
    func readAtOnce<Value>(
        _ body: (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value?

    /// Reads one snapshot together with other callers, within a short time limit.
    ///
    /// - Parameter body: Reads. PostgreSQL is asked without a transaction: what has to be of one moment is one statement.
    /// - Returns: What `body` returns.
    /// - Throws: ``StorageFailure``.
    func answer<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) async throws(StorageFailure) -> Value

    /// Writes in one transaction, and blocks meanwhile: not to be called from the cooperative pool.
    ///
    /// When it returns all is on durable storage; when it throws nothing is written, as far as is known.
    ///
    /// - Parameters:
    ///   - lane: By which connection, where there are several.
    ///   - locks: What it is about.
    ///   - body: Writes; it may be called again where another transaction was in the way.
    /// - Returns: What `body` returns.
    /// - Throws: ``StorageFailure``.
    func transaction<Value: Sendable>(
        _ lane: SQLLane,
        locking locks: SQLLocks,
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value
}

/// The connection that writes.
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
        try transaction(lane, locking: SQLLocks(), body)
    }
}

/// The keys of locks: only one transaction of all services that share a database holds a lock at a time.
enum AdvisoryLocks {
    /// The lock for making the tables: "OfferSgn" in ASCII, so that another program on the server hardly uses the same.
    static let migration: Int64 = 0x4F66_6665_7253_676E
    /// The lock for signing the list of the ledger's chains: "OfferChn".
    static let chains: Int64 = 0x4F66_6665_7243_686E
    /// The lock for deleting old records: "OfferDel".
    static let deletion: Int64 = 0x4F66_6665_7244_656C

    /// The key of a lock by its name, 64 bits of a SHA-256: two names with one key only wait for each other.
    static func key(_ name: [UInt8]) -> Int64 {
        SHA256.hash(data: name).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The key of the lock of a writer of the ledger.
    static func key(ofWriter writer: String) -> Int64 { key(Array("offer-signer ledger writer\n\(writer)".utf8)) }
}
