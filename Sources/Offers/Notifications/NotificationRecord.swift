/// A notification as it is kept: what came and when, without what it says of a customer.
public struct NotificationRecord: Equatable, Sendable {
    /// `notificationUUID`: one that was seen before changes nothing.
    public let id: String
    /// `notificationType`, as it came.
    public let type: String
    /// `subtype`, as it came; `nil` for none.
    public let subtype: String?
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environment.
    public let environment: AppStoreEnvironment
    /// When Apple signed it.
    public let signedDate: Timestamp
    /// When it came, by the server's clock.
    public let receivedAt: Timestamp

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - id: `notificationUUID`.
    ///   - type: `notificationType`.
    ///   - subtype: `subtype`.
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment.
    ///   - signedDate: When Apple signed it.
    ///   - receivedAt: When it came.
    public init(
        id: String,
        type: String,
        subtype: String?,
        bundleId: String,
        environment: AppStoreEnvironment,
        signedDate: Timestamp,
        receivedAt: Timestamp
    ) {
        self.id = id
        self.type = type
        self.subtype = subtype
        self.bundleId = bundleId
        self.environment = environment
        self.signedDate = signedDate
        self.receivedAt = receivedAt
    }
}
