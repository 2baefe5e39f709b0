/// A writer of whom there are records or statements, but no chain: somebody put them in, or took the chain away.
public struct LedgerStray: Equatable, Sendable {
    /// The writer.
    public var writer: String
    /// The number of the first record; `nil` when there are statements alone, or it is no number.
    public var firstNumber: Int64?

    /// Steps from writer to writer by the primary keys, over all that each has written, in one statement: what it sees
    /// was there at one moment, so that no chain that begins meanwhile is missed.
    static let all = """
        WITH RECURSIVE
            recorders (writer) AS (\(writers(of: "ledger_records", after: "recorders"))),
            signers (writer) AS (\(writers(of: "ledger_statements", after: "signers")))
        SELECT found.writer AS writer,
            (SELECT MIN(number) FROM ledger_records WHERE ledger_records.writer = found.writer) AS number
        FROM (SELECT writer FROM recorders UNION SELECT writer FROM signers) AS found
        WHERE found.writer IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM ledger_chains WHERE ledger_chains.writer = found.writer)
        ORDER BY found.writer
        """

    private static func writers(of table: String, after step: String) -> String {
        """
        SELECT MIN(writer) FROM \(table) UNION ALL
            SELECT (SELECT MIN(\(table).writer) FROM \(table) WHERE \(table).writer > \(step).writer)
            FROM \(step) WHERE \(step).writer IS NOT NULL
        """
    }
}
