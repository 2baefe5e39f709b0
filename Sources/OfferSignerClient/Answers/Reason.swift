/// Why a decision is what it is, in snake case, such as `lapsed`.
///
/// Not an enumeration: the service may come to know more of them. Its OpenAPI document (`GET /v1/openapi.json`) says what
/// each means, under `KnownReason` and `KnownIntroductoryReason`.
public struct Reason: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The reason as the service writes it.
    public let rawValue: String

    /// Creates a reason.
    ///
    /// - Parameter rawValue: The reason as the service writes it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The reason as the service writes it.
    public var description: String { rawValue }
}

extension Reason: ExpressibleByStringLiteral {
    /// Creates a reason, to compare one with.
    ///
    /// - Parameter value: The reason as the service writes it.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}
