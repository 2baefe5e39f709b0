/// Where the configuration comes from, for as long as the process runs.
struct ConfigurationSource: Sendable {
    /// The path of `offer-signer.yaml`.
    let file: String
    /// Settings from the command line, by key path.
    let flags: [String: String]
    /// The process's environment.
    let environment: [String: String]

    /// Reads everything anew, and loads and tests the keys.
    ///
    /// - Parameter address: Where the running service listens for requests, which a reload does not change; `nil` where
    ///   none runs yet.
    /// - Returns: The service that the configuration describes.
    /// - Throws: ``ConfigurationFaults`` with every fault that was found.
    func load(listeningAt address: ListenAddress? = nil) throws(ConfigurationFaults) -> LoadedService {
        try LoadedService(configurationFile: file, flags: flags, environment: environment, listeningAt: address)
    }
}
