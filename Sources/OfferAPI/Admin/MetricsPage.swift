/// What `/metrics` answers.
public struct MetricsPage: Sendable {
    /// The value of `Content-Type`.
    public let contentType: String
    /// The body.
    public let bytes: [UInt8]

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - contentType: The value of `Content-Type`.
    ///   - bytes: The body.
    public init(contentType: String, bytes: [UInt8]) {
        self.contentType = contentType
        self.bytes = bytes
    }
}
