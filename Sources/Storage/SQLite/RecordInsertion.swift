import GRDB

/// Writes records, many with one statement, and with the values where the bytes that are hashed have them: they are not
/// copied, and what is kept cannot be anything but what was hashed.
struct RecordInsertion {
    /// The canonical bytes ended too early, or are too long.
    private struct Malformed: Error {}

    private enum Kind {
        case text
        case number
        case bytes
    }

    /// What the columns hold, in the order of `LedgerSQL.recordColumns`, which is that of `LedgerWork.message`.
    private static let kinds: [Kind] = [
        .text, .number, .number, .text, .text, .text, .text, .text, .text, .text, .number, .text, .text, .text, .text,
        .bytes, .bytes, .bytes,
    ]

    /// How many records one statement writes at the most: with more it costs little less, and the pages by which SQLite
    /// would undo it no longer stay in memory, see ``SQLiteDatabase/isSetUp``.
    static let most = 4

    /// What a statement does beside its rows costs about a quarter of a row: so there is one for each power of two.
    private static let statements: [(rows: Int, sql: String)] = [4, 2, 1].map { rows in
        let values = "(\(kinds.map { _ in "?" }.joined(separator: ",")))"
        let sql = "INSERT INTO ledger_records (\(LedgerSQL.recordColumns)) VALUES "
        return (rows, sql + Array(repeating: values, count: rows).joined(separator: ","))
    }

    private let database: Database

    /// Writes to a database.
    ///
    /// - Parameter database: Where records are written: the insertion is valid as long as this is open.
    init(in database: Database) {
        self.database = database
    }

    /// Writes records.
    ///
    /// - Parameters:
    ///   - count: How many they are.
    ///   - message: What was hashed of each: the hash of the record before, and the values; and then the record's hash.
    /// - Throws: `DatabaseError`.
    func insert(_ count: Int, _ message: CanonicalBytes) throws {
        try message.withUnsafeBytes { bytes in
            var rest = bytes
            var left = count
            for (rows, sql) in Self.statements {
                while left >= rows {
                    let statement = try DirectStatement(sql, in: database)
                    for row in 0..<rows { try Self.bind(row, of: statement, &rest) }
                    try statement.run()
                    left -= rows
                }
            }
            guard rest.isEmpty else { throw Malformed() }
        }
    }

    /// Binds a row to the next record's values, where they are.
    private static func bind(_ row: Int, of statement: DirectStatement, _ rest: inout UnsafeRawBufferPointer) throws {
        _ = try value(&rest)
        var place = Int32(truncatingIfNeeded: row * kinds.count)
        for kind in kinds {
            place += 1
            if kind == .number {
                try statement.bind(place, Int64(bitPattern: try number(&rest, of: UInt64.self)))
            } else if let value = try value(&rest) {
                // What is not bound is NULL.
                if kind == .text {
                    try statement.bindInPlace(place, text: value)
                } else {
                    try statement.bindInPlace(place, bytes: value)
                }
            }
        }
    }

    /// Takes a text or bytes; `nil` for nothing.
    private static func value(_ rest: inout UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
        let length = try number(&rest, of: UInt32.self)
        if length == .max { return nil }
        return try take(Int(length), of: &rest)
    }

    private static func number<Number: FixedWidthInteger>(
        _ rest: inout UnsafeRawBufferPointer,
        of _: Number.Type
    ) throws -> Number {
        Number(bigEndian: try take(MemoryLayout<Number>.size, of: &rest).loadUnaligned(as: Number.self))
    }

    private static func take(_ count: Int, of rest: inout UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
        guard count <= rest.count else { throw Malformed() }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }
}
