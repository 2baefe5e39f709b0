/// An address cannot be listened on, or no longer.
public struct ListenFailure: Error, Equatable, CustomStringConvertible {
    /// The address as it was configured, such as `127.0.0.1:8080`.
    public let address: String
    /// What the system said.
    public let detail: String

    /// The failure in one line.
    public var description: String { "cannot listen on \(address): \(detail)" }
}
