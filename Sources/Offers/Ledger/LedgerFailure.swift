/// The ledger did not take or tell something: what was signed must not leave.
public struct LedgerFailure: Error, Equatable, CustomStringConvertible {
    /// Which failure it is.
    public enum Code: String, Sendable, CaseIterable {
        /// More waits to be written than may wait.
        case full
        /// It was not on durable storage in time.
        case tooSlow
        /// It cannot be written or read now.
        case unavailable
        /// The ledger is well, but does not take one of the values.
        case refused
        /// The service is going.
        case closed
    }

    /// Which failure it is.
    public let code: Code
    /// What failed and how to mend it, for a log, without secrets.
    public let detail: String

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - code: Which failure it is.
    ///   - detail: What failed and how to mend it.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// What failed and how to mend it.
    public var description: String { "ledger: \(detail)" }
}
