import Crypto
package import Offers

/// What SQL is spoken to, within a transaction or a look at one moment.
package protocol Session {
    /// Which database it is, for the few statements that differ.
    var dialect: SQLDialect { get }

    /// Runs statements in their order.
    ///
    /// - Parameter calls: The statements; PostgreSQL gets them all at once.
    /// - Returns: What each of them answered.
    /// - Throws: ``StorageFailure``.
    func run(_ calls: [SQLCall]) throws(StorageFailure) -> [Rows]

    /// Runs a statement whose answer nobody reads: PostgreSQL gets it with the next one, or with the commit.
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

    /// Keeps others from what a lock stands for until the transaction ends. SQLite has one writer at a time anyway.
    ///
    /// - Parameter key: The lock's key, see ``AdvisoryLocks``.
    /// - Throws: ``StorageFailure``.
    func lock(_ key: Int64) throws(StorageFailure)

    /// Says that a writer of the ledger is at work, as long as the connection lives.
    ///
    /// - Parameter writer: The writer.
    /// - Returns: Whether it is the first time by this connection: the server may be another than before.
    /// - Throws: ``StorageFailure``.
    func hold(_ writer: String) throws(StorageFailure) -> Bool

    /// Which locks other transactions keep; the others are this one's until it ends.
    ///
    /// - Parameter keys: The locks' keys.
    /// - Returns: Those that are not to be had.
    /// - Throws: ``StorageFailure``.
    func kept(of keys: [Int64]) throws(StorageFailure) -> Set<Int64>

    /// Which writers of the ledger are surely gone; nobody else can be one of them before the transaction ends.
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

/// Which database is spoken to.
package enum SQLDialect: Sendable {
    case sqlite
    case postgreSQL
}

/// The purpose of a transaction, by which others may run at the same time.
package struct SQLLocks: Sendable {
    /// A lock for each thing that it is about.
    var keys: Set<Int64> = []
    /// The lock of all such things: shared beside ``keys``, and alone where those are too many for the server.
    var all: Int64?
}

/// A database: an SQLite file, or a PostgreSQL database that several services share.
package protocol SQLDatabase: LedgerArchive, OfferCountStore {
    /// The file, or the server and the database, for messages.
    var name: String { get }

    /// Which database it is.
    var dialect: SQLDialect { get }

    /// Reads what was there at one moment, and waits for it: not to be called from the cooperative pool.
    ///
    /// - Parameter body: Reads.
    /// - Returns: What `body` returns.
    /// - Throws: ``StorageFailure``.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value

    /// Reads what was there at one moment on the thread that asks, which may be an event loop's: nothing is waited for.
    ///
    /// - Parameter body: Reads.
    /// - Returns: What `body` returns; `nil` where it would have to be waited for, as for a server.
    /// - Throws: ``StorageFailure``.
    func readAtOnce<Value>(
        _ body: (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value?

    /// Reads for somebody in a hurry, together with others who ask.
    ///
    /// - Parameter body: Reads. PostgreSQL is asked without a transaction: what has to be of one moment is one statement.
    /// - Returns: What `body` returns.
    /// - Throws: ``StorageFailure``.
    func answer<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) async throws(StorageFailure) -> Value

    /// Writes in one transaction, and waits for it: not to be called from the cooperative pool.
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

/// By which connection something is written.
package enum SQLLane: Sendable {
    /// The ledger's own.
    case ledger
    /// Beside it.
    case beside
    /// Beside it, and once more where the connection breaks under it: twice is the same as once.
    case repeatable
}

extension SQLDatabase {
    /// Writes in one transaction that is about nothing that others may be about at the same time.
    func transaction<Value: Sendable>(
        _ lane: SQLLane,
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value {
        try transaction(lane, locking: SQLLocks(), body)
    }
}

/// The keys of locks, those of one transaction at a time among all services that share a database.
enum AdvisoryLocks {
    /// The lock for making the tables: "OfferSgn" in ASCII, so that another program on the server hardly uses the same.
    static let migration: Int64 = 0x4F66_6665_7253_676E
    /// The lock for signing the list of the ledger's chains: "OfferChn".
    static let chains: Int64 = 0x4F66_6665_7243_686E
    /// The lock for deleting old records: "OfferDel".
    static let deletion: Int64 = 0x4F66_6665_7244_656C

    /// The key of what a lock stands for, 64 bits of a SHA-256; two that share one only wait for each other.
    static func key(_ name: [UInt8]) -> Int64 {
        SHA256.hash(data: name).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The key of the lock of a writer of the ledger.
    static func key(ofWriter writer: String) -> Int64 { key(Array("offer-signer ledger writer\n\(writer)".utf8)) }
}
