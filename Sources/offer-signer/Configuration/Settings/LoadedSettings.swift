/// What a reading of the configuration gives.
struct LoadedSettings: Equatable, Sendable {
    /// The configuration.
    let settings: Settings
    /// What its author should know, by file and line.
    let warnings: [ConfigurationWarning]
}
