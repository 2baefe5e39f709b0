import Storage

/// Reads where the ledger is kept.
enum LedgerURL {
    /// Reads `sqlite:FILE` or `postgres://USER@HOST/DB`.
    ///
    /// - Parameter text: The URL.
    /// - Returns: The place; an SQLite file as it was written.
    /// - Throws: ``ValueFault`` for another scheme, and for a password, which belongs into a passfile.
    static func parse(_ text: String) throws(ValueFault) -> LedgerLocation {
        if text.hasPrefix("sqlite:") {
            let path = String(text.dropFirst("sqlite:".count))
            guard !path.isEmpty else { throw ValueFault("names no file; write sqlite:ledger.sqlite") }
            return .sqlite(path: try FilePathText.parse(path))
        }
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
            // A URL of another scheme may hold a password too: it is not repeated.
            throw ValueFault("is neither sqlite:FILE nor postgres://USER@HOST/DB")
        }
        do throws(PostgreSQLError) {
            _ = try PostgreSQLLocation(url: text)
        } catch {
            throw ValueFault(error.detail)
        }
        return .postgres(url: text)
    }
}
