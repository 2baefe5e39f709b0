import GRDB
import GRDBSQLite

/// A prepared statement that is bound and run by SQLite's own functions.
///
/// What each signature costs goes this way: GRDB boxes every value on its way to SQLite, and copies it.
struct DirectStatement {
    private let handle: OpaquePointer
    private let database: OpaquePointer

    /// Prepares a statement, or takes the one that was prepared before.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - database: Where it is run: it is valid as long as this is open.
    /// - Throws: `DatabaseError`.
    init(_ sql: String, in database: Database) throws {
        guard let connection = database.sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed")
        }
        handle = try database.cachedStatement(sql: sql).sqliteStatement
        self.database = connection
    }

    /// Binds a number; places are counted from 1.
    func bind(_ place: Int32, _ number: Int64) throws {
        try check(sqlite3_bind_int64(handle, place, number))
    }

    /// Binds a text, of which SQLite takes a copy.
    func bind(_ place: Int32, _ text: String) throws {
        var text = text
        try check(
            text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) {
                    // No pointer would be NULL, not the text without bytes.
                    $0.isEmpty
                        ? sqlite3_bind_text(handle, place, "", 0, Self.copied)
                        : sqlite3_bind_text(handle, place, $0.baseAddress, Int32($0.count), Self.copied)
                }
            }
        )
    }

    /// Binds bytes, of which SQLite takes a copy.
    func bind(_ place: Int32, _ bytes: [UInt8]) throws {
        try check(
            bytes.withUnsafeBytes {
                // As above.
                $0.isEmpty
                    ? sqlite3_bind_zeroblob(handle, place, 0)
                    : sqlite3_bind_blob(handle, place, $0.baseAddress, Int32($0.count), Self.copied)
            }
        )
    }

    /// Binds a text where it is: the memory has to stay until ``run()`` has returned.
    func bindInPlace(_ place: Int32, text: UnsafeRawBufferPointer) throws {
        let characters = text.assumingMemoryBound(to: CChar.self)
        try check(
            characters.isEmpty
                ? sqlite3_bind_text(handle, place, "", 0, Self.copied)
                : sqlite3_bind_text(handle, place, characters.baseAddress, Int32(characters.count), nil)
        )
    }

    /// Binds bytes where they are: the memory has to stay until ``run()`` has returned.
    func bindInPlace(_ place: Int32, bytes: UnsafeRawBufferPointer) throws {
        try check(
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, place, 0)
                : sqlite3_bind_blob(handle, place, bytes.baseAddress, Int32(bytes.count), nil)
        )
    }

    /// Runs a statement that has no rows.
    func run() throws {
        _ = try row { _ in }
    }

    /// Runs a query, and reads its first row; `nil` when there is none.
    func row<Value>(_ read: (_ column: (Int32) -> Int64?) throws -> Value) throws -> Value? {
        defer {
            sqlite3_reset(handle)
            // Nothing stays bound to memory that is gone.
            sqlite3_clear_bindings(handle)
        }
        switch sqlite3_step(handle) {
        case SQLITE_DONE: return nil
        case SQLITE_ROW:
            return try read { column in
                sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
            }
        case let code: throw error(code)
        }
    }

    private func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw error(code) }
    }

    private func error(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: sqlite3_errmsg(database).map { String(cString: $0) }
        )
    }

    /// SQLite's sign, the address -1, that it has to take a copy.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
