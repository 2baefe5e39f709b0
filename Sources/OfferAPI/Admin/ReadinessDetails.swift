/// What an operator should know of a running service, as `/readyz` tells it.
public struct ReadinessDetails: Equatable, Sendable {
    /// What is worth knowing, though the service works.
    public var warnings: [ReadinessWarning]
    /// What keeps the service from being ready: it gets no requests as long as there is any.
    public var faults: [String]
    /// Where the keys are: `secret`, `locked` or `unlocked` memory.
    public var keyMemory: String
    /// What became of reloads.
    public var reloads: ReloadRecord

    /// Creates details.
    ///
    /// - Parameters:
    ///   - warnings: What is worth knowing, though the service works.
    ///   - faults: What keeps the service from being ready.
    ///   - keyMemory: Where the keys are: `secret`, `locked` or `unlocked` memory.
    ///   - reloads: What became of reloads.
    public init(
        warnings: [ReadinessWarning] = [],
        faults: [String] = [],
        keyMemory: String = "locked",
        reloads: ReloadRecord = ReloadRecord()
    ) {
        self.warnings = warnings
        self.faults = faults
        self.keyMemory = keyMemory
        self.reloads = reloads
    }
}
