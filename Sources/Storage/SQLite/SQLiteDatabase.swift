import CSQLite
import Dispatch
import Glibc
package import Offers
import Synchronization

/// An SQLite file: the home of the ledger and of all other state where one service keeps its own.
///
/// It is in WAL mode with `synchronous=FULL`: a commit that returned is on durable storage, so that neither a crash
/// nor a power cut takes it back. Another process, such as `offer-signer sign`, may use the same file.
///
/// One connection writes, and some read.
package final class SQLiteDatabase: Sendable {
    /// How long a connection waits for another process that writes, in seconds.
    package static let busyTimeoutSeconds = 5
    /// How large the pages of a new file are, in bytes.
    ///
    /// A commit writes each page that it changed to the log, whole: half of SQLite's own size leaves less to write.
    static let pageSize = 2048
    /// How many connections that read are kept for the next one who does: one for each event loop, and some.
    private static let cachedReaders = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 2) + 2

    package let path: String
    /// The names of the steps by which its tables were made or changed when it was opened.
    package let madeSteps: [String]
    /// The files themselves, whatever their names are by now.
    private let files: SQLiteFiles
    private let access: SQLAccess
    private let checkpoints: LogCheckpoints
    /// The connection that writes; `nil` for a file that is only read, and when it is closed.
    private let writer: Mutex<SQLiteConnection?>
    /// The connections that nobody reads by; `nil` when the file is closed.
    private let readers = Mutex<[SQLiteConnection]?>([])
    private let presence: SQLitePresence?
    /// The thread on which questions are answered: never one that tasks run on.
    private let reader = DispatchQueue(label: "ledger.reader", qos: .userInitiated)

    /// Opens the file and brings its tables up to date.
    ///
    /// Its directory has to be there, and writable, as SQLite keeps a log beside the file. Other keys than a ledger in
    /// it was written with are refused; `nil` where none are used.
    package init(
        path: String,
        access: SQLAccess = .readWrite,
        keys: LedgerKeyMarks? = nil
    ) throws(StorageFailure) {
        try SQLiteFiles.prepare(path, isMade: access == .readWrite)
        let path = SQLiteFiles.resolved(path)
        self.path = path
        self.access = access
        let isReadOnly = access == .readOnly
        let first = try Self.open(path, isReadOnly: isReadOnly)
        if !isReadOnly { try Self.makeDurable(first, path) }
        checkpoints = LogCheckpoints(path: path, pageSize: try Self.number("page_size", of: first, path))
        writer = Mutex(isReadOnly ? nil : first)
        guard !isReadOnly else {
            presence = nil
            madeSteps = []
            files = SQLiteFiles(inUseAt: path)
            readers.withLock { $0 = [first] }
            try read { [path] session throws(StorageFailure) in
                try Migration.check(session, at: path)
                if let keys { try keys.check(session, at: path) }
            }
            return
        }
        let presence = SQLitePresence(at: path)
        let session = SQLiteSession(connection: first, path: path)
        madeSteps = try Self.transaction(on: first, path) { () throws(StorageFailure) in
            let steps = try Migration.migrate(session, at: path)
            if let keys { try keys.claim(session, at: path) }
            return steps
        }
        self.presence = presence
        presence?.settle(writers: try session.openWriters())
        // The log is there by now.
        files = SQLiteFiles(inUseAt: path)
        checkpoints.watch(first)
    }

    /// A warning that does not keep the file from being used, in a sentence; `nil` when there is none.
    package var warning: String? { checkpoints.warning }

    /// How many bytes the service's user may still write to the file's disk; `nil` when that is not known.
    package var freeBytes: Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflow) = status.f_bavail.multipliedReportingOverflow(by: status.f_frsize)
        return overflow ? nil : Int(clamping: bytes)
    }

    /// Why what is written would not be found again, in a sentence: the file or its log was moved, replaced or emptied.
    package var fault: String? { files.fault(checkpoints.isCutShort) }

    /// Works with the connection that writes, outside of a transaction.
    func withWriter<Value: Sendable>(
        _ body: (SQLiteConnection) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value {
        try writer.withLock { connection throws(StorageFailure) in
            guard let connection else { throw closed }
            return try body(connection)
        }
    }

    /// Brings what is in the log into the file, as far as other processes let it, and closes the file: where nobody else
    /// has it open, the file alone has everything then.
    ///
    /// A file or log that was moved, replaced or cut short is left as it is, to be put back. Later calls
    /// fail.
    package func close() {
        checkpoints.stop()
        readers.withLock { $0 = nil }
        let connection = writer.withLock { writer in
            defer { writer = nil }
            return writer
        }
        guard let connection else { return }
        // SQLite brings the log into the file by itself when the last connection is closed.
        if !files.mayBecomeOne(checkpoints.isCutShort) { csqlite_keep_log(connection.handle) }
        checkpoints.close()
    }

    /// Sees that what is written will be found again.
    private func checkAreInPlace() throws(StorageFailure) {
        if let fault = files.fault(checkpoints.isCutShort) {
            throw StorageFailure(.unavailable, fault)
        }
    }

    private var closed: StorageFailure {
        StorageFailure(
            .unavailable,
            access == .readOnly ? "\(path) was opened to be read" : "\(path) is closed"
        )
    }
}

extension SQLiteDatabase: SQLDatabase {
    package var name: String { path }

    package var dialect: SQLDialect { .sqlite }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value {
        let connection = try acquireReader()
        defer { releaseReader(connection) }
        return try readTransaction(on: connection, body)
    }

    package func readAtOnce<Value>(
        _ body: (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value? {
        let connection = try acquireReader()
        connection.waitsForOthers = false
        defer {
            connection.waitsForOthers = true
            releaseReader(connection)
        }
        return try readTransaction(on: connection, body)
    }

    private func readTransaction<Value>(
        on connection: SQLiteConnection,
        _ body: (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value {
        try Self.transaction(writes: false, on: connection, path) { () throws(StorageFailure) in
            try body(SQLiteSession(connection: connection, path: path))
        }
    }

    package func answer<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) async throws(StorageFailure) -> Value {
        try await reader.perform { () throws(StorageFailure) in try self.read(body) }
    }

    package func transaction<Value: Sendable>(
        _ lane: SQLLane,
        locking rows: Set<Int64>,
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value {
        try withWriter { connection throws(StorageFailure) in
            try checkAreInPlace()
            let session = SQLiteSession(connection: connection, path: path, abandoned: presence?.abandoned ?? [])
            return try Self.transaction(on: connection, path) { () throws(StorageFailure) in
                // Nobody else can change the schema until the transaction ends.
                if lane == .ledger { try session.checkSchemaVersion() }
                return try body(session)
            }
        }
    }
}

extension SQLiteDatabase {
    package var leads: Bool? { presence?.leads ?? true }

    private static func open(_ path: String, isReadOnly: Bool) throws(StorageFailure) -> SQLiteConnection {
        do throws(SQLiteConnection.Failure) {
            return try SQLiteConnection(path, isReadOnly: isReadOnly, busyTimeoutSeconds: busyTimeoutSeconds)
        } catch {
            throw StorageFailure(error, at: path, otherwise: .cannotOpen)
        }
    }

    /// Runs a transaction; it takes back what `body` did where that throws.
    private static func transaction<Value>(
        writes: Bool = true,
        on connection: SQLiteConnection,
        _ path: String,
        _ body: () throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value {
        let session = SQLiteSession(connection: connection, path: path)
        if writes { try beginWriting(session) } else { try session.run("BEGIN") }
        defer { connection.letCopiersIn() }
        do throws(StorageFailure) {
            let value = try body()
            try session.run("COMMIT")
            return value
        } catch {
            // Some failures have ended it already.
            if connection.isInTransaction { _ = try? session.run("ROLLBACK") }
            throw error
        }
    }

    /// Begins a transaction that may write; where it may begin the log anew, it waits for who brings the log into the file.
    private static func beginWriting(_ session: SQLiteSession) throws(StorageFailure) {
        let end = ContinuousClock.now + .seconds(busyTimeoutSeconds)
        while true {
            try session.run("BEGIN IMMEDIATE")
            if session.connection.lockOutCopiers() { return }
            try session.run("ROLLBACK")
            guard .now < end else {
                let detail = "another process has brought its log into the file for too long (a checkpoint)"
                throw StorageFailure(.unavailable, "\(session.path): \(detail)")
            }
            usleep(500)
        }
    }

    private static func makeDurable(_ connection: SQLiteConnection, _ path: String) throws(StorageFailure) {
        do throws(SQLiteConnection.Failure) {
            // It counts for a file that is made here; one that is there keeps its own.
            try connection.run("PRAGMA page_size = \(pageSize)")
            let mode = try enableWriteAheadLog(connection)
            try connection.run("PRAGMA synchronous = FULL")
            guard mode.cells == [.text("wal")] else { throw SQLiteConnection.Failure(code: 0, message: "") }
        } catch {
            if error.code != 0 { throw StorageFailure(error, at: path) }
            throw StorageFailure(.notDurable, "\(path): SQLite does not keep a log (WAL) of it")
        }
        guard try number("synchronous", of: connection, path) == 2 else {
            throw StorageFailure(.notDurable, "\(path): SQLite does not wait for the disk (synchronous=FULL)")
        }
    }

    /// SQLite gives up at once where another process looks at a new file at that moment, as each would wait for the other.
    private static func enableWriteAheadLog(_ connection: SQLiteConnection) throws(SQLiteConnection.Failure) -> Rows {
        let end = ContinuousClock.now + .seconds(busyTimeoutSeconds)
        while true {
            do throws(SQLiteConnection.Failure) {
                return try connection.run("PRAGMA journal_mode = WAL")
            } catch {
                guard error.primary == SQLITE_BUSY, .now < end else { throw error }
                usleep(10_000)
            }
        }
    }

    private static func number(
        _ pragma: String,
        of connection: SQLiteConnection,
        _ path: String
    ) throws(StorageFailure) -> Int {
        Int(try SQLiteSession(connection: connection, path: path).run("PRAGMA \(pragma)").integer(0, 0))
    }

    private func acquireReader() throws(StorageFailure) -> SQLiteConnection {
        let kept = readers.withLock { readers -> SQLiteConnection?? in
            guard readers != nil else { return nil }
            return .some(readers?.popLast())
        }
        guard let kept else { throw StorageFailure(.unavailable, "\(path) is closed") }
        if let kept { return kept }
        return try Self.open(path, isReadOnly: true)
    }

    private func releaseReader(_ connection: SQLiteConnection) {
        readers.withLock { readers in
            if let count = readers?.count, count < Self.cachedReaders { readers?.append(connection) }
        }
    }
}
