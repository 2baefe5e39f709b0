/// A key could not sign.
///
/// The text names the key and the step that failed, never key material.
public struct SigningFailure: Error, Equatable, CustomStringConvertible {
    /// The identifier of the key that was asked.
    public let keyIdentifier: String
    /// What failed, for a log: one sentence without secrets.
    public let detail: String

    /// Creates a failure of the named key.
    ///
    /// - Parameters:
    ///   - keyIdentifier: The identifier of the key that was asked.
    ///   - detail: What failed, without secrets.
    public init(keyIdentifier: String, detail: String) {
        self.keyIdentifier = keyIdentifier
        self.detail = detail
    }

    /// The failure in one line.
    public var description: String { "key \(keyIdentifier): \(detail)" }
}
