import GRDB

/// Writes records: what LedgerWork has linked, several with each statement, and how their nonces begin, see ``NonceSQL``.
///
/// SQLite gets the address and the length of each value, with the values where the bytes that are hashed have them: they
/// are not copied, and what is kept cannot be anything but what was hashed.
struct RecordInsertion {
    /// How many records one statement writes at the most: with more it costs little less.
    static let most = 32

    /// What a statement does beside its rows costs about a quarter of a row: so there is one for each power of two.
    ///
    /// A statement that fails may leave some of its rows: `OR FAIL` says that they need not be undone. For that SQLite
    /// would copy each page that the statement changes; and whatever fails here undoes the whole transaction.
    private static let statements: [(rows: Int, sql: String)] = [32, 16, 8, 4, 2, 1].map { rows in
        let values = "(\(repeatElement("?", count: Int(RecordRow.columns)).joined(separator: ",")))"
        let sql = "INSERT OR FAIL INTO ledger_records (\(LedgerSQL.recordColumns)) VALUES "
        return (rows, sql + repeatElement(values, count: rows).joined(separator: ","))
    }

    private let database: Database
    /// How the nonces begin that no row of ``NonceSQL`` covers yet, with all that was written.
    private(set) var nonces: [UInt8]

    /// Writes to a database.
    ///
    /// - Parameters:
    ///   - database: Where records are written: the insertion is valid as long as this is open.
    ///   - nonces: How the nonces of the chain begin that no row covers yet.
    init(in database: Database, nonces: [UInt8]) {
        self.database = database
        self.nonces = nonces
    }

    /// Writes records of one chain.
    ///
    /// - Parameters:
    ///   - count: How many they are.
    ///   - message: What was hashed of each: the hash of the record before, and the values; and then the record's hash.
    ///   - writer: The chain's writer.
    /// - Throws: `DatabaseError`.
    mutating func insert(_ count: Int, _ message: CanonicalBytes, of writer: String) throws {
        try message.withUnsafeBytes { bytes in
            var rest = bytes
            var left = count
            var last: Int64 = 0
            for (rows, sql) in Self.statements {
                while left >= rows {
                    let statement = try DirectStatement(sql, in: database)
                    for row in 0..<rows {
                        var row = RecordRow(Int32(truncatingIfNeeded: row), of: statement, rest)
                        try row.bind()
                        rest = row.rest
                        last = row.number
                        nonces.append(contentsOf: row.nonce.prefix(NonceSQL.prefix))
                    }
                    try statement.run()
                    left -= rows
                }
            }
            guard rest.isEmpty else { throw RecordRow.Malformed() }
            if nonces.count >= NonceSQL.section * NonceSQL.prefix { try insertNonces(of: writer, upTo: last) }
        }
    }

    private mutating func insertNonces(of writer: String, upTo number: Int64) throws {
        let statement = try DirectStatement(NonceSQL.insert, in: database)
        try statement.bind(1, writer)
        try statement.bind(2, number)
        try statement.bind(3, String(decoding: nonces, as: UTF8.self))
        try statement.run()
        nonces.removeAll(keepingCapacity: true)
    }
}
