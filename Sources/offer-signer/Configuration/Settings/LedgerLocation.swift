/// Where the ledger is kept.
enum LedgerLocation: Equatable, Sendable {
    /// An SQLite file, by its absolute path.
    case sqlite(path: String)
    /// A PostgreSQL database, as a libpq URI without a password.
    case postgres(url: String)
}
