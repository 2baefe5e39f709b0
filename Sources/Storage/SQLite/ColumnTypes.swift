import GRDB
import GRDBSQLite

/// The types that the ledger's columns were written with.
///
/// SQLite keeps a value of any type in any column, and whoever reads it converts it: what is verified must not have been
/// of another type.
struct ColumnTypes {
    private static let numbers: Set = ["number", "time", "timestamp", "started_at", "previous_number"]
    private static let bytes: Set = ["hash", "signature", "account", "customer", "previous_hash"]

    private let handle: OpaquePointer
    private let columns: [(name: String, type: Int32)]

    /// The types of a statement's columns.
    init(_ statement: Statement) {
        handle = statement.sqliteStatement
        columns = statement.columnNames.map { name in
            (name, Self.numbers.contains(name) ? SQLITE_INTEGER : Self.bytes.contains(name) ? SQLITE_BLOB : SQLITE_TEXT)
        }
    }

    /// Looks at the row that the statement has come to, before anything is read of it.
    ///
    /// - Parameter names: The columns that are looked at; `nil` for all.
    /// - Throws: ``StorageFailure`` for a value of another type, or for a text that is none. NULL is left to the reader.
    func check(_ names: Set<String>? = nil) throws {
        for (place, column) in zip(Int32(0)..., columns) where names?.contains(column.name) ?? true {
            let type = sqlite3_column_type(handle, place)
            if type == SQLITE_NULL { continue }
            guard type == column.type, type != SQLITE_TEXT || isUTF8(place) else {
                throw StorageFailure.malformed(column.name)
            }
        }
    }

    /// Whether a text's bytes are UTF-8: in what is not, others would stand for them.
    private func isUTF8(_ place: Int32) -> Bool {
        guard let start = sqlite3_column_text(handle, place) else { return false }
        let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, place)))
        return String(validating: text, as: UTF8.self) != nil
    }
}

extension StorageFailure {
    /// A row's value is not what was written.
    static func malformed(_ column: String) -> StorageFailure {
        StorageFailure(.malformed, "a row's \(column) is not of its type")
    }
}
