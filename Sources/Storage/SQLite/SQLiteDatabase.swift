import CSQLite
import GRDB

/// An SQLite file: the home of the ledger and of all other state where one service keeps its own.
///
/// It is in WAL mode with `synchronous=FULL`: a commit that returned is on durable storage, so that neither a crash
/// nor a power cut takes it back. Another process, such as `offer-signer sign`, may use the same file.
public final class SQLiteDatabase: Sendable {
    /// What the file is opened for.
    public enum Access: Sendable {
        /// To read and write; made, with all its tables, when it is not there.
        case readWrite
        /// To read and write a file that is there; tables that it does not have yet are made.
        case existing
        /// To read what is there; nothing is made or changed but SQLite's own `-wal` and `-shm`.
        case readOnly
    }

    /// How long a connection waits for another process that writes, in seconds.
    public static let busyTimeoutSeconds = 5

    /// How large the pages of a new file are, in bytes; one that is there keeps those it was made with.
    ///
    /// A commit writes each page that it changed to the log, whole: half of SQLite's own size leaves a third less to write
    /// for a signature. With a quarter there is no more to gain, as then more pages are changed.
    static let pageSize = 2048

    /// The file.
    public let path: String

    /// Whether SQLite took what it is told once, before the process first uses it; later it would not listen.
    ///
    /// It counts no memory: for the count it would take a lock whenever it allocates and frees. And its files get a layer
    /// that writes the log in pieces of many pages, where ``makeDurable()`` asks for it.
    static let isSetUp = csqlite_count_no_memory() && csqlite_layer_files()

    let pool: DatabasePool
    let checkpoints: LogCheckpoints
    /// Which files they are, whatever their names are by now.
    let files: SQLiteFiles
    let access: Access

    /// Opens the file and brings its tables up to date.
    ///
    /// - Parameters:
    ///   - path: The file; its directory has to be there, and writable, as SQLite keeps a log beside the file.
    ///   - access: What it is opened for.
    ///   - keys: The keys that a ledger in it is written with; others than before are refused. `nil` where none are used.
    /// - Throws: ``StorageFailure`` when it cannot be used.
    public init(
        path: String,
        access: Access = .readWrite,
        keys: LedgerKeyMarks? = nil
    ) throws(StorageFailure) {
        self.path = path
        self.access = access
        _ = Self.isSetUp
        try SQLiteFiles.prepare(path, isMade: access == .readWrite)
        pool = try Self.catching(path, otherwise: .cannotOpen) {
            var configuration = Configuration()
            configuration.readonly = access == .readOnly
            configuration.busyMode = .timeout(Double(Self.busyTimeoutSeconds))
            // Before GRDB asks for WAL mode, with which the size is settled.
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA page_size = \(Self.pageSize)") }
            return try DatabasePool(path: path, configuration: configuration)
        }
        let pageSize = try Self.catching(path) { [pool] in
            try pool.read { try Int.fetchOne($0, sql: "PRAGMA page_size") }
        }
        // The log is opened with the first look into the file.
        files = SQLiteFiles(inUseAt: path)
        checkpoints = LogCheckpoints(path: path, pageSize: pageSize ?? Self.pageSize)
        switch access {
        case .readWrite, .existing:
            try makeDurable()
            try migrate()
            if let keys { try claim(with: keys) }
        case .readOnly:
            let made = try read { try Self.migrationsMade($0) }
            guard try !Migration.due(after: made, at: path).contains(where: \.isForReaders) else {
                throw StorageFailure(
                    .notMigrated,
                    "\(path) is not up to date; start the service, or any command that writes, once to bring it up"
                )
            }
            if let keys { try checkKeys(keys) }
        }
    }

    /// What an operator should know though the file is read and written, in a sentence; `nil` when there is nothing.
    public var warning: String? { checkpoints.warning }

    /// Reads, beside whoever writes: what it sees was there at one moment.
    ///
    /// - Parameter body: Reads.
    /// - Returns: What `body` returns.
    /// - Throws: ``StorageFailure``.
    func read<Value>(_ body: (Database) throws -> Value) throws(StorageFailure) -> Value {
        try Self.catching(path) { try pool.read(body) }
    }

    /// Writes in one transaction, which no other writer comes between; it returns when all is on durable storage.
    ///
    /// - Parameter body: Writes; when it throws, nothing has changed.
    /// - Returns: What `body` returns.
    /// - Throws: ``StorageFailure``.
    func write<Value>(_ body: (Database) throws -> Value) throws(StorageFailure) -> Value {
        try Self.catching(path) {
            try pool.writeWithoutTransaction { database in
                // Prepared once: GRDB's own transactions compile both statements each time.
                try DirectStatement("BEGIN IMMEDIATE", in: database).run()
                do {
                    let value = try body(database)
                    try DirectStatement("COMMIT", in: database).run()
                    return value
                } catch {
                    // Some failures have ended it already. Were it still open, GRDB would refuse to go on: the first
                    // error is the one to be told.
                    if database.isInsideTransaction { try? database.rollback() }
                    throw error
                }
            }
        }
    }

    /// `PRAGMA synchronous` of the connection that writes: 2 is FULL.
    ///
    /// - Returns: The number.
    /// - Throws: ``StorageFailure``.
    func synchronousMode() throws(StorageFailure) -> Int? {
        try Self.catching(path) {
            try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        }
    }

    /// GRDB sets `synchronous` to NORMAL for WAL mode, and NORMAL may lose the last commits to a power cut.
    private func makeDurable() throws(StorageFailure) {
        let mode = try Self.catching(path) {
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
                return try String.fetchOne(database, sql: "PRAGMA journal_mode")
            }
        }
        guard mode == "wal", try synchronousMode() == 2 else {
            throw StorageFailure(
                .notDurable,
                "\(path): SQLite does not keep a durable log (WAL, synchronous=FULL) of it"
            )
        }
        // Only now: with less than FULL the log might be read before it is written.
        pool.writeWithoutTransaction { database in
            // Where it cannot be done, each page is written by itself.
            if let connection = database.sqliteConnection { _ = csqlite_gather_log_writes(connection) }
            checkpoints.watch(database)
        }
    }

    private func migrate() throws(StorageFailure) {
        try write { database in
            try database.execute(sql: Migration.table)
            for migration in try Migration.due(after: Self.migrationsMade(database), at: path) {
                for statement in migration.sqliteStatements { try database.execute(sql: statement) }
                try database.execute(
                    sql: "INSERT INTO schema_migrations (name) VALUES ($1)",
                    arguments: [migration.name]
                )
            }
        }
    }

    private static func migrationsMade(_ database: Database) throws -> Set<String> {
        guard try database.tableExists("schema_migrations") else { return [] }
        return Set(try String.fetchAll(database, sql: "SELECT name FROM schema_migrations"))
    }
}

extension SQLiteDatabase {
    /// Puts what GRDB throws into words; statements and values are not repeated.
    private static func catching<Value>(
        _ path: String,
        otherwise code: StorageFailure.Code = .unavailable,
        _ body: () throws -> Value
    ) throws(StorageFailure) -> Value {
        do {
            return try body()
        } catch let failure as StorageFailure {
            throw failure
        } catch let error as DatabaseError {
            let said = error.message ?? "error \(error.resultCode.rawValue)"
            // Of the layer over SQLite's files, see log_writes.c.
            if error.extendedResultCode == .SQLITE_IOERR_DATA {
                throw StorageFailure(
                    code,
                    "\(path)-wal lacks records that were written to it: it was cut short or replaced while it was in use; "
                        + "put the right one back, or stop the service, and where records are missing then, restore the "
                        + "ledger from a backup"
                )
            }
            switch error.resultCode {
            case .SQLITE_NOTADB, .SQLITE_CORRUPT:
                throw StorageFailure(.notADatabase, "\(path) is not a sound SQLite file: \(said)")
            case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
                throw StorageFailure(
                    code,
                    "\(path): \(said); the file and its directory have to be writable for the service's user"
                )
            case .SQLITE_FULL:
                throw StorageFailure(code, "\(path): \(said); make room on its file system")
            case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH:
                throw StorageFailure(.refused, "\(path): \(said)")
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                throw StorageFailure(code, "\(path): another process has kept it busy for too long (\(said))")
            default:
                throw StorageFailure(code, "\(path): \(said)")
            }
        } catch {
            throw StorageFailure(code, "\(path): \(type(of: error))")
        }
    }
}
