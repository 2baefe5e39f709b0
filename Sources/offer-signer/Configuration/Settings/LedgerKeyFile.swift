/// The file of one of a ledger's keys, where the configuration names it.
struct LedgerKeyFile: Equatable, Sendable {
    /// Its absolute path.
    let path: String
    /// Whether it is a systemd credential, whose mode shows the group's permission.
    let isCredential: Bool
}
