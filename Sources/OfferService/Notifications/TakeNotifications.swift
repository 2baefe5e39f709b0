public import Offers

/// The use case behind Apple's notifications: keeps the newest state of subscriptions.
public struct TakeNotifications<Reader: NotificationReader>: Sendable {
    private let reader: Reader
    private let memory: StateMemory
    private let metrics: NotificationMetrics
    private let now: @Sendable () -> Timestamp

    /// Creates the use case.
    ///
    /// - Parameters:
    ///   - reader: Reads Apple's notifications, and refuses forgeries.
    ///   - memory: Where state is held.
    ///   - metrics: What is counted.
    ///   - now: The server's clock.
    public init(
        reader: Reader,
        memory: StateMemory,
        metrics: NotificationMetrics,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.reader = reader
        self.memory = memory
        self.metrics = metrics
        self.now = now
    }

    /// Takes a notification: when this returns, its effect is on durable storage.
    ///
    /// One of a type that nobody knows is kept as well, and what its transaction says is learnt.
    ///
    /// - Parameter signedPayload: The `signedPayload` of the body.
    /// - Returns: What it was.
    /// - Throws: ``NotificationRefusal`` when it was not taken.
    public func take(_ signedPayload: String) async throws(NotificationRefusal) -> TakenNotification {
        let notification: AppleNotification
        do throws(SignedDataFault) {
            notification = try reader.notification(signedPayload)
        } catch {
            metrics.countRefused()
            throw .notTaken(error)
        }
        let moment = now()
        let record = NotificationRecord(
            id: notification.id,
            type: notification.type,
            subtype: notification.subtype,
            bundleId: notification.bundleId,
            environment: notification.environment,
            signedDate: notification.signedDate,
            receivedAt: moment
        )
        let observation = notification.history.map {
            StateObservation($0, digester: memory.digester, at: moment, isTold: true)
        }
        do throws(StorageFailure) {
            let isNew = try await memory.states.keep(
                record,
                observation ?? StateObservation(subscriptions: [])
            )
            metrics.count(record.type, isNew ? .taken : .repeated)
            return TakenNotification(notification: record, isNew: isNew)
        } catch {
            metrics.count(record.type, .notKept)
            throw .notKept(error)
        }
    }
}

/// A notification that was taken.
public struct TakenNotification: Equatable, Sendable {
    /// The notification.
    public let notification: NotificationRecord
    /// Whether it was not seen before.
    public let isNew: Bool
}

/// Why a notification was not taken.
public enum NotificationRefusal: Error, Equatable {
    /// It is not Apple's, or not for an app of the catalog.
    case notTaken(SignedDataFault)
    /// It cannot be kept now; Apple sends it again.
    case notKept(StorageFailure)
}
