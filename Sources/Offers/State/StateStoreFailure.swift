/// The store of subscription states could not be read or written.
public struct StateStoreFailure: Error, Equatable, CustomStringConvertible {
    /// What failed, for a log: one sentence without secrets.
    public let detail: String

    /// Creates a failure.
    ///
    /// - Parameter detail: What failed.
    public init(detail: String) {
        self.detail = detail
    }

    /// What failed and where.
    public var description: String { "state: \(detail)" }
}
