extension PostgreSQLConnection {
    /// Keeps the marks of the keys that the ledger is written with, where none are kept yet, and refuses others.
    ///
    /// - Parameter keys: The keys' marks.
    /// - Throws: ``PostgreSQLError``, with the code `otherKeys` where the ledger was written with others.
    func claim(with keys: LedgerKeyMarks) throws(PostgreSQLError) {
        // Of replicas that start together, each sees the marks of whoever was first.
        try run(keys.marks.map { PostgreSQLCall(LedgerKeyMarks.insert, .text($0.name), .bytes($0.bytes)) })
        try checkKeys(keys)
    }

    /// Refuses other keys than those that the ledger was written with, as far as their marks are kept.
    ///
    /// - Parameter keys: The keys' marks.
    /// - Throws: ``PostgreSQLError``, with the code `otherKeys` where the ledger was written with others.
    func checkKeys(_ keys: LedgerKeyMarks) throws(PostgreSQLError) {
        // An earlier version's tables may be read as they are.
        guard try run(Self.hasMarks).boolean(0, 0) else { return }
        let rows = try run(PostgreSQLCall(LedgerKeyMarks.kept))
        for row in rows.rows {
            guard let fault = keys.fault(try rows.text(row, 0), try rows.bytes(row, 1)) else { continue }
            throw PostgreSQLError(.otherKeys, fault)
        }
    }

    private static let hasMarks = PostgreSQLCall("SELECT to_regclass('ledger_key_marks') IS NOT NULL")
}
