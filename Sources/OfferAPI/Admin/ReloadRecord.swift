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
