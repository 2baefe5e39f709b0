/// What an operator should know of a running service, as `/readyz` tells it.
public struct ReadinessDetails: Equatable, Sendable {
    /// What is worth knowing, though the service works.
    public var warnings: [String]
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
        warnings: [String] = [],
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

/// What became of the reloads of a running service.
public struct ReloadRecord: Equatable, Sendable {
    /// How many took effect.
    public private(set) var completed = 0
    /// How many were refused, so that what was in use stayed in use.
    public private(set) var refused = 0
    /// The faults of the last reload; empty when it took effect.
    public private(set) var lastFaults: [String] = []

    /// Creates the record of a service that was never reloaded.
    public init() {}

    /// Notes a reload that took effect.
    public mutating func noteCompleted() {
        completed += 1
        lastFaults = []
    }

    /// Notes a reload that was refused.
    ///
    /// - Parameter faults: Why, one sentence each, without secrets.
    public mutating func noteRefused(_ faults: [String]) {
        refused += 1
        lastFaults = faults
    }
}
