/// Where the ledger is kept.
enum LedgerLocation: Equatable, Sendable {
    /// An SQLite file, by its absolute path.
    case sqlite(path: String)
    /// A PostgreSQL database, as a libpq URI without a password.
    case postgres(url: String)
}

/// The file of one of a ledger's keys, where the configuration names it.
struct LedgerKeyFile: Equatable, Sendable {
    /// Its absolute path.
    let path: String
    /// Whether it is a systemd credential, whose mode shows the group's permission.
    let isCredential: Bool
}

/// The ledger of what was signed.
struct LedgerSettings: Equatable, Sendable {
    /// Where it is kept.
    let location: LedgerLocation
    /// The key for digests of accounts, 32 bytes or more; `nil` for the one beside an SQLite file.
    let digestKeyFile: LedgerKeyFile?
    /// The P-256 P8 that signs checkpoints; `nil` for the one beside an SQLite file.
    let checkpointKeyFile: LedgerKeyFile?
    /// How many days records are kept; `nil` for ever.
    let retentionDays: Int?
}
