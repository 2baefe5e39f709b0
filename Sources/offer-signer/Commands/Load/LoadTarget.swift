import LoadGenerator

/// What load is put on.
struct LoadTarget {
    /// Where the service listens.
    let address: ServiceAddress
    /// The client's token.
    let token: String
    /// The App Store simulator, if there is one.
    let simulator: ServiceAddress?
    /// What signatures are checked with, if they are.
    let checker: SignatureChecker?
    /// The service's processes, where they are known.
    let processes: [Int32]
}
