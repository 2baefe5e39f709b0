import CSQLite
import Glibc

/// The parameters of a statement, which are appended in their order.
struct SQLiteRow: LedgerValues {
    private let statement: OpaquePointer
    private var place: Int32 = 0
    /// The first result code that was not `SQLITE_OK`, if there was one.
    private(set) var code = SQLITE_OK

    init(_ statement: OpaquePointer) { self.statement = statement }

    mutating func append(_ number: Int64) { record(sqlite3_bind_int64(statement, next(), number)) }

    mutating func append(_ text: String?) {
        guard var text else { return appendNothing() }
        let place = next()
        record(
            text.withUTF8 { utf8 in
                // A null address would bind NULL, not a text without bytes.
                utf8.isEmpty
                    ? csqlite_bind_text(statement, place, "", 0)
                    : utf8.withMemoryRebound(to: CChar.self) {
                        csqlite_bind_text(statement, place, $0.baseAddress, Int32($0.count))
                    }
            }
        )
    }

    mutating func append(_ bytes: [UInt8]?) {
        guard let bytes else { return appendNothing() }
        let place = next()
        record(
            // A null address would bind NULL, not a blob without bytes.
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(statement, place, 0)
                : bytes.withUnsafeBytes { csqlite_bind_blob(statement, place, $0.baseAddress, Int32($0.count)) }
        )
    }

    /// Appends a value of a statement that both databases take.
    mutating func append(_ value: SQLValue) {
        switch value {
        case .null: appendNothing()
        case .integer(let number): append(number)
        case .text(let text): append(text)
        case .bytes(let bytes): append(bytes)
        case .boolean, .integers, .texts, .byteStrings, .foreign: record(SQLITE_MISMATCH)
        }
    }

    private mutating func appendNothing() { record(sqlite3_bind_null(statement, next())) }

    private mutating func next() -> Int32 {
        place += 1
        return place
    }

    private mutating func record(_ result: Int32) {
        if code == SQLITE_OK { code = result }
    }
}

/// Compares the columns of a row, in their order, with the values that were written.
struct SQLiteComparison: LedgerValues {
    /// Whether all columns so far have the values' types and bytes.
    private(set) var isSame = true
    private let statement: OpaquePointer
    private var column: Int32 = 0

    /// Begins with the first column of the row that a statement is at.
    init(_ statement: OpaquePointer) { self.statement = statement }

    mutating func append(_ number: Int64) {
        recordColumn(type == SQLITE_INTEGER && sqlite3_column_int64(statement, column) == number)
    }

    mutating func append(_ text: String?) {
        guard var text else { return recordColumn(type == SQLITE_NULL) }
        recordColumn(type == SQLITE_TEXT && text.withUTF8 { isColumn(UnsafeRawBufferPointer($0)) })
    }

    mutating func append(_ bytes: [UInt8]?) {
        guard let bytes else { return recordColumn(type == SQLITE_NULL) }
        recordColumn(type == SQLITE_BLOB && bytes.withUnsafeBytes(isColumn))
    }

    private var type: Int32 { sqlite3_column_type(statement, column) }

    private mutating func recordColumn(_ isEqual: Bool) {
        isSame = isSame && isEqual
        column += 1
    }

    /// A text is read as a blob, too: it needs no zero at its end here, for which SQLite would copy it.
    private func isColumn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = sqlite3_column_blob(statement, column), let expected = bytes.baseAddress else {
            return bytes.isEmpty && sqlite3_column_bytes(statement, column) == 0
        }
        return sqlite3_column_bytes(statement, column) == bytes.count && memcmp(start, expected, bytes.count) == 0
    }
}
