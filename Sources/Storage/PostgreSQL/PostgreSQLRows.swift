import CPostgreSQL

/// What a statement answered: rows of columns, or only how many rows it changed.
///
/// It owns libpq's result, and frees it at its end. Columns count from zero.
final class PostgreSQLRows {
    private let result: OpaquePointer
    /// How many rows there are.
    let count: Int

    /// Takes a result over.
    ///
    /// - Parameter result: A `PGresult`, which nobody else frees.
    init(owning result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
    }

    deinit { PQclear(result) }

    /// The indices of the rows.
    var rows: Range<Int> { 0..<count }

    /// How many rows the statement inserted, changed or deleted.
    var changes: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    /// What the server says it has done, such as `COMMIT`.
    var command: String { String(cString: PQcmdStatus(result)) }

    /// A number (`int8` or `int4`).
    ///
    /// - Throws: ``PostgreSQLError`` when there is none.
    func integer(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Int64 {
        guard let number = try optionalInteger(row, column) else { throw missing(column) }
        return number
    }

    /// A number (`int8` or `int4`) or null.
    ///
    /// - Throws: ``PostgreSQLError`` when it is something else.
    func optionalInteger(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Int64? {
        try field(row, column, types: [TypeIdentifier.int8, TypeIdentifier.int4]) { bytes in
            bytes.count == 8
                ? bytes.reduce(0) { $0 << 8 | Int64($1) }
                : Int64(Int32(truncatingIfNeeded: bytes.reduce(0) { $0 << 8 | Int64($1) }))
        }
    }

    /// A text.
    ///
    /// - Throws: ``PostgreSQLError`` when there is none.
    func text(_ row: Int, _ column: Int) throws(PostgreSQLError) -> String {
        guard let text = try optionalText(row, column) else { throw missing(column) }
        return text
    }

    /// A text or null.
    ///
    /// - Throws: ``PostgreSQLError`` when it is something else.
    func optionalText(_ row: Int, _ column: Int) throws(PostgreSQLError) -> String? {
        try field(row, column, types: [TypeIdentifier.text]) { String(decoding: $0, as: UTF8.self) }
    }

    /// Bytes.
    ///
    /// - Throws: ``PostgreSQLError`` when there are none.
    func bytes(_ row: Int, _ column: Int) throws(PostgreSQLError) -> [UInt8] {
        guard let bytes = try optionalBytes(row, column) else { throw missing(column) }
        return bytes
    }

    /// Bytes or null.
    ///
    /// - Throws: ``PostgreSQLError`` when it is something else.
    func optionalBytes(_ row: Int, _ column: Int) throws(PostgreSQLError) -> [UInt8]? {
        try field(row, column, types: [TypeIdentifier.bytea]) { Array($0) }
    }

    /// A truth value.
    ///
    /// - Throws: ``PostgreSQLError`` when there is none.
    func boolean(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Bool {
        guard let value = try field(row, column, types: [TypeIdentifier.bool], { $0.first == 1 }) else {
            throw missing(column)
        }
        return value
    }

    private func field<Value>(
        _ row: Int,
        _ column: Int,
        types: [UInt32],
        _ read: (UnsafeRawBufferPointer) -> Value
    ) throws(PostgreSQLError) -> Value? {
        // libpq bounds both itself, with a notice to nobody; the checks are for a clear error.
        guard rows.contains(row), 0..<Int(PQnfields(result)) ~= column else { throw missing(column) }
        let (row, column) = (Int32(row), Int32(column))
        guard PQfformat(result, column) == 1, types.contains(PQftype(result, column)) else {
            throw PostgreSQLError(.unexpectedAnswer, "column \(column) is of another type")
        }
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return nil }
        // The bytes live as long as the result, and are read before this returns.
        return read(UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column))))
    }

    private func missing(_ column: Int) -> PostgreSQLError {
        PostgreSQLError(.unexpectedAnswer, "column \(column) has no value")
    }
}
