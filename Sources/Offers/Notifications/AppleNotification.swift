/// A notification as Apple sent it, known to be genuine and for an app of the catalog.
public struct AppleNotification: Sendable {
    /// `notificationUUID`.
    public let id: String
    /// `notificationType`.
    public let type: String
    /// `subtype`; `nil` for none.
    public let subtype: String?
    /// The app's bundle identifier.
    public let bundleId: String
    /// The environment.
    public let environment: AppStoreEnvironment
    /// When Apple signed it.
    public let signedDate: Timestamp
    /// What its transaction and renewal info say; `nil` where it carries none.
    public let history: SubscriptionHistory?

    /// Creates a notification.
    ///
    /// - Parameters:
    ///   - id: `notificationUUID`.
    ///   - type: `notificationType`.
    ///   - subtype: `subtype`.
    ///   - bundleId: The app's bundle identifier.
    ///   - environment: The environment.
    ///   - signedDate: When Apple signed it.
    ///   - history: What its transaction and renewal info say.
    public init(
        id: String,
        type: String,
        subtype: String?,
        bundleId: String,
        environment: AppStoreEnvironment,
        signedDate: Timestamp,
        history: SubscriptionHistory?
    ) {
        self.id = id
        self.type = type
        self.subtype = subtype
        self.bundleId = bundleId
        self.environment = environment
        self.signedDate = signedDate
        self.history = history
    }
}
