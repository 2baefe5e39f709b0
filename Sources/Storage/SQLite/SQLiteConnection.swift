import CSQLite
import Offers

/// A connection to an SQLite file, with the statements that it has prepared.
///
/// It is used by one thread at a time, which keeps others from it.
final class SQLiteConnection: @unchecked Sendable {
    // `@unchecked Sendable`: see above; SQLite itself is opened without locks of its own.

    struct Failure: Error {
        let code: Int32
        /// Its words, which repeat no value.
        let message: String

        /// The result code without its extension.
        var primary: Int32 { code & 0xFF }
    }

    /// Said once, before the first connection is opened; where SQLite is in use already it goes on counting.
    private static let memoryIsNotCounted = csqlite_count_no_memory() == SQLITE_OK

    let handle: OpaquePointer
    /// Whether statements wait for another process, and do not fail at once.
    var waitsForOthers = true {
        didSet { sqlite3_busy_timeout(handle, waitsForOthers ? busyTimeout : 0) }
    }
    private let busyTimeout: Int32
    /// Whether it keeps everybody from bringing the log into the file.
    var keepsCopiersOut = false
    /// The version of the schema that was found to be as it has to be; `nil` where none was.
    var soundSchema: SQLValue?
    private var prepared: [String: Prepared] = [:]

    private struct Prepared {
        let statement: OpaquePointer
        let columns: [String]
    }

    /// Opens a file, which is not made; each statement waits so long for another process.
    init(_ path: String, isReadOnly: Bool, busyTimeoutSeconds: Int) throws(Failure) {
        _ = Self.memoryIsNotCounted
        var handle: OpaquePointer?
        let flags = (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close_v2(handle) }
            throw Failure(code: code, message: String(cString: sqlite3_errstr(code)))
        }
        self.handle = handle
        busyTimeout = Int32(busyTimeoutSeconds * 1000)
        // Thrown from here on, an error finds the connection owned: `deinit` closes it.
        let hardening = csqlite_harden(handle)
        guard hardening == SQLITE_OK else {
            throw Failure(code: hardening, message: "this SQLite cannot keep code in a file from running")
        }
        sqlite3_busy_timeout(handle, busyTimeout)
        // Its own checkpoints, after a commit: those of `LogCheckpoints` take their place.
        sqlite3_wal_autocheckpoint(handle, 0)
    }

    deinit {
        for prepared in prepared.values { sqlite3_finalize(prepared.statement) }
        sqlite3_close_v2(handle)
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs a statement, which is prepared once.
    @discardableResult
    func run(_ call: SQLCall) throws(Failure) -> Rows {
        let prepared = try prepare(call.sql)
        let statement = prepared.statement
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        var row = SQLiteRow(statement)
        for value in call.values { row.append(value) }
        try check(row.code)
        let width = Int32(truncatingIfNeeded: prepared.columns.count)
        var cells: [SQLValue] = []
        cells.reserveCapacity(prepared.columns.count)
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: for column in 0..<width { cells.append(Self.value(of: statement, column)) }
            case SQLITE_DONE:
                guard width > 0 else { return Rows(columns: [], cells: [], changes: Int(sqlite3_changes(handle))) }
                return Rows(columns: prepared.columns, cells: cells, changes: 0)
            default: throw failure()
            }
        }
    }

    @discardableResult
    func run(_ sql: String, _ values: SQLValue...) throws(Failure) -> Rows { try run(SQLCall(sql, values)) }

    func insert<Element>(
        _ sql: String,
        _ elements: [Element],
        _ append: (Element, inout SQLiteRow) -> Void
    ) throws(Failure) {
        let statement = try prepare(sql).statement
        defer { sqlite3_clear_bindings(statement) }
        for element in elements {
            var row = SQLiteRow(statement)
            append(element, &row)
            try check(row.code)
            // The step's own code says why; `reset` repeats it.
            let code = sqlite3_step(statement)
            let failure = code == SQLITE_DONE ? nil : failure()
            sqlite3_reset(statement)
            if let failure { throw failure }
        }
    }

    /// Whether rows are the answer to a statement: they are compared where SQLite has them.
    func answers<Element>(
        _ call: SQLCall,
        _ elements: [Element],
        _ append: (Element, inout SQLiteComparison) -> Void
    ) throws(Failure) -> Bool {
        let statement = try prepare(call.sql).statement
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        var row = SQLiteRow(statement)
        for value in call.values { row.append(value) }
        try check(row.code)
        var count = 0
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                guard count < elements.count else { return false }
                var comparison = SQLiteComparison(statement)
                append(elements[count], &comparison)
                guard comparison.isSame else { return false }
                count += 1
            case SQLITE_DONE: return count == elements.count
            default: throw failure()
            }
        }
    }

    private func prepare(_ sql: String) throws(Failure) -> Prepared {
        if let known = prepared[sql] { return known }
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        try check(sqlite3_prepare_v3(handle, sql, Int32(sql.utf8.count), flags, &statement, nil))
        guard let statement else { throw Failure(code: SQLITE_MISUSE, message: "there is no statement") }
        let made = Prepared(statement: statement, columns: Self.names(of: statement, sqlite3_column_count(statement)))
        prepared[sql] = made
        return made
    }

    /// A column's value as it is: SQLite keeps one of any type in any column, and would convert it for the reader.
    private static func value(of statement: OpaquePointer, _ column: Int32) -> SQLValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(statement, column) else { return .foreign }
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
            // A repaired string would have other bytes than the file.
            return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .foreign
        case SQLITE_BLOB:
            guard let start = sqlite3_column_blob(statement, column) else { return .bytes([]) }
            let count = Int(sqlite3_column_bytes(statement, column))
            return .bytes(Array(UnsafeRawBufferPointer(start: start, count: count)))
        default: return .foreign
        }
    }

    private static func names(of statement: OpaquePointer, _ count: Int32) -> [String] {
        (0..<count).map { sqlite3_column_name(statement, $0).map { String(cString: $0) } ?? "" }
    }

    private func check(_ code: Int32) throws(Failure) {
        guard code == SQLITE_OK else { throw failure() }
    }

    private func failure() -> Failure {
        Failure(code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
    }
}

/// A transaction, or a look at one moment, on a connection.
struct SQLiteSession: Session {
    let connection: SQLiteConnection
    let path: String
    /// The locks of those who were gone when this process opened the file.
    var abandoned: Set<String> = []

    var dialect: SQLDialect { .sqlite }

    func run(_ calls: [SQLCall]) throws(StorageFailure) -> [Rows] {
        var answers: [Rows] = []
        answers.reserveCapacity(calls.count)
        for call in calls { answers.append(try run(call)) }
        return answers
    }

    @discardableResult
    func run(_ call: SQLCall) throws(StorageFailure) -> Rows {
        try work { connection throws(SQLiteConnection.Failure) in try connection.run(call) }
    }

    func send(_ call: SQLCall) throws(StorageFailure) { try run(call) }

    func expect(_ call: SQLCall, _ cells: [SQLValue]) throws(StorageFailure) {
        guard try run(call).cells == cells else { throw .notKept }
    }

    func lock(_ row: Int64) {}

    func hold(_ writer: String) -> Bool { false }

    func gone(of writers: [String]) -> Set<String> { abandoned.intersection(writers) }

    func work<Value>(
        _ body: (SQLiteConnection) throws(SQLiteConnection.Failure) -> Value
    ) throws(StorageFailure) -> Value {
        do throws(SQLiteConnection.Failure) {
            return try body(connection)
        } catch {
            throw StorageFailure(error, at: path)
        }
    }
}

extension StorageFailure {
    /// Puts what SQLite says into words; statements and values are not repeated.
    init(_ failure: SQLiteConnection.Failure, at path: String, otherwise code: Code = .unavailable) {
        let said = failure.message
        switch failure.primary {
        case SQLITE_NOTADB, SQLITE_CORRUPT:
            self.init(.notADatabase, "\(path) is not a sound SQLite file: \(said)")
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            let fix = SQLiteFiles.ownerFix(of: path)
            self.init(
                code,
                "\(path): \(said); \(fix ?? "the file and its directory have to be writable for the service's user")"
            )
        case SQLITE_FULL:
            self.init(code, "\(path): \(said); make room on its file system")
        case SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH:
            self.init(.refused, "\(path): \(said)")
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(code, "\(path): another process has kept it busy for too long (\(said))")
        default:
            self.init(code, "\(path): \(said)")
        }
    }
}
