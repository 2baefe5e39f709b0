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
