import Offers

/// A value of a statement's parameter, or of a column.
package enum SQLValue: Equatable, Sendable {
    case null
    case integer(Int64)
    /// A text. PostgreSQL refuses one with a zero byte, as it cannot keep it.
    case text(String)
    case bytes([UInt8])
    /// In PostgreSQL alone.
    case boolean(Bool)
    /// An array as a parameter of PostgreSQL.
    case integers([Int64?])
    case texts([String?])
    case byteStrings([[UInt8]?])
    /// A value that no column of the service's holds: a fraction, or a text that is not UTF-8.
    case foreign

    // NULL for `nil`.
    init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ bytes: [UInt8]?) { self = bytes.map { .bytes($0) } ?? .null }
    init(_ time: Timestamp?) { self = time.map { .time($0) } ?? .null }

    static func time(_ time: Timestamp) -> SQLValue { .integer(time.millisecondsSince1970) }
}

/// A statement and the values of its parameters.
package struct SQLCall: Equatable, Sendable {
    /// One statement without a semicolon, its parameters written as `$1`, `$2`, … in the order of their first use.
    let sql: String
    let values: [SQLValue]

    init(_ sql: String, _ values: [SQLValue]) {
        self.sql = sql
        self.values = values
    }

    init(_ sql: String, _ values: SQLValue...) {
        self.init(sql, values)
    }
}

/// The answer to a statement: rows, or how many it changed.
///
/// Rows and columns count from zero.
package struct Rows: Sendable {
    let columns: [String]
    /// The values, row by row.
    let cells: [SQLValue]
    let count: Int
    /// How many rows the statement inserted, changed or deleted.
    let changes: Int
    /// What PostgreSQL says it has done, such as `COMMIT`.
    let command: String

    init(columns: [String], cells: [SQLValue], changes: Int, command: String = "") {
        self.columns = columns
        self.cells = cells
        self.changes = changes
        self.command = command
        count = columns.isEmpty ? 0 : cells.count / columns.count
    }

    var rows: Range<Int> { 0..<count }

    func integer(_ row: Int, _ column: Int) throws(StorageFailure) -> Int64 {
        guard case .integer(let number) = value(row, column) else { throw malformed(column) }
        return number
    }

    /// The numbers of the first column.
    func integers() throws(StorageFailure) -> [Int64] {
        try rows.map { row throws(StorageFailure) in try integer(row, 0) }
    }

    func optionalInteger(_ row: Int, _ column: Int) throws(StorageFailure) -> Int64? {
        value(row, column) == .null ? nil : try integer(row, column)
    }

    func time(_ row: Int, _ column: Int) throws(StorageFailure) -> Timestamp {
        Timestamp(millisecondsSince1970: try integer(row, column))
    }

    func optionalTime(_ row: Int, _ column: Int) throws(StorageFailure) -> Timestamp? {
        value(row, column) == .null ? nil : try time(row, column)
    }

    /// A price, by its amount and its currency in the next column.
    func price(_ row: Int, from column: Int) throws(StorageFailure) -> PaidPrice? {
        guard let milliunits = try optionalInteger(row, column), let currency = try optionalText(row, column + 1) else {
            return nil
        }
        return PaidPrice(milliunits: milliunits, currency: currency)
    }

    func text(_ row: Int, _ column: Int) throws(StorageFailure) -> String {
        guard case .text(let text) = value(row, column) else { throw malformed(column) }
        return text
    }

    func optionalText(_ row: Int, _ column: Int) throws(StorageFailure) -> String? {
        value(row, column) == .null ? nil : try text(row, column)
    }

    func bytes(_ row: Int, _ column: Int) throws(StorageFailure) -> [UInt8] {
        guard case .bytes(let bytes) = value(row, column) else { throw malformed(column) }
        return bytes
    }

    func optionalBytes(_ row: Int, _ column: Int) throws(StorageFailure) -> [UInt8]? {
        value(row, column) == .null ? nil : try bytes(row, column)
    }

    func boolean(_ row: Int, _ column: Int) throws(StorageFailure) -> Bool {
        guard case .boolean(let value) = value(row, column) else { throw malformed(column) }
        return value
    }

    /// A place in a list that a statement was asked with, as `WITH ORDINALITY` counts: from 1 on.
    func position(_ row: Int, among count: Int) throws(StorageFailure) -> Int {
        let position = try integer(row, 0)
        guard (1...Int64(max(count, 1))).contains(position), count > 0 else { throw malformed(0) }
        return Int(position) - 1
    }

    private func value(_ row: Int, _ column: Int) -> SQLValue {
        guard rows.contains(row), columns.indices.contains(column) else { return .foreign }
        return cells[row * columns.count + column]
    }

    private func malformed(_ column: Int) -> StorageFailure {
        .malformed(columns.indices.contains(column) ? columns[column] : "column \(column)")
    }
}
