/// Where the ledger is kept.
enum LedgerLocation: Equatable, Sendable {
    /// An SQLite file, by its absolute path.
    case sqlite(path: String)
    /// A PostgreSQL database, as a libpq URI without a password.
    case postgres(url: String)
}

/// The ledger of what was signed.
struct LedgerSettings: Equatable, Sendable {
    /// Where it is kept.
    let location: LedgerLocation
    /// The absolute path of the key for digests of accounts, 32 bytes or more; `nil` for the one beside an SQLite file.
    let digestKeyFile: String?
    /// The absolute path of the P-256 P8 that signs checkpoints; `nil` for the one beside an SQLite file.
    let checkpointKeyFile: String?
    /// How many days records are kept; `nil` for ever.
    let retentionDays: Int?
}
