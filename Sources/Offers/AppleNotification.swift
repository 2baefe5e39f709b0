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

/// Reads Apple's notifications and checks their signatures: the port to Apple's side.
public protocol NotificationReader: Sendable {
    /// Reads a notification.
    ///
    /// - Parameter signedPayload: The `signedPayload` of the body.
    /// - Returns: The notification.
    /// - Throws: ``NotificationFault`` when it is not Apple's, or not for an app of the catalog.
    func notification(_ signedPayload: String) throws(NotificationFault) -> AppleNotification
}

/// Why a notification is not taken.
public struct NotificationFault: Error, Equatable {
    /// The fault's name in answers, in snake case.
    public let code: String
    /// The fault in a sentence or two.
    public let detail: String

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - code: The fault's name in answers.
    ///   - detail: The fault in a sentence or two.
    public init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }
}

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
