package import Offers

/// The use case behind Apple's notifications: stores the newest state of subscriptions.
package struct TakeNotifications<Reader: NotificationReader>: Sendable {
    private let reader: Reader
    private let memory: StateMemory
    private let metrics: NotificationMetrics
    private let now: @Sendable () -> Timestamp

    package init(
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

    /// Receives a notification: when this returns, its effect is on durable storage.
    ///
    /// A notification of unknown type or contents is recorded as well, and nothing is learnt from it. What one says that was
    /// received before counts only if it is to be merged `again`: as from a version that stored less of it.
    package func receive(
        _ signedPayload: String,
        again: Bool = false
    ) async throws(NotificationRefusal) -> TakenNotification {
        let notification: GenuineNotification
        do throws(SignedDataFault) {
            notification = try reader.notification(signedPayload)
        } catch {
            metrics.countRefused()
            throw .notTaken(error)
        }
        switch notification {
        case .ours(let notification): return try await record(notification, again: again)
        case .ofNobody(let type): return counted(type, .notUnderstood)
        case .ofOtherApp(let bundleId, let type):
            metrics.count(type, .unknownApp)
            throw .unknownApp(bundleId: bundleId)
        }
    }

    private func record(
        _ notification: AppleNotification,
        again: Bool
    ) async throws(NotificationRefusal) -> TakenNotification {
        let moment = now()
        let record = NotificationRecord(notification, receivedAt: moment, countsAgain: again)
        let isUnderstood = notification.isUnderstood && AppleNotification.types.contains(notification.type)
        // All that Apple signed of a subscription counts, whatever the notification is about.
        let said = (notification.isUnderstood ? notification.book : nil).map {
            $0.remembered(digester: memory.digester, at: moment, isConfirmed: true)
        }
        do throws(StorageFailure) {
            let isNew = try await memory.states.save(record, said ?? Book())
            return counted(record.type, !isNew ? .repeated : isUnderstood ? .taken : .notUnderstood)
        } catch {
            metrics.count(record.type, .notKept)
            throw .notKept(error)
        }
    }

    private func counted(_ type: String, _ outcome: NotificationMetrics.Outcome) -> TakenNotification {
        metrics.count(type, outcome)
        return TakenNotification(type: type, outcome: outcome)
    }
}

package struct TakenNotification: Equatable, Sendable {
    /// `notificationType`, as it came.
    package let type: String
    package let outcome: NotificationMetrics.Outcome
}

package enum NotificationRefusal: Error, Equatable {
    /// It is not Apple's, or not for the environment or Apple ID of an app.
    case notTaken(SignedDataFault)
    /// It is Apple's, for an app outside the catalog, which may be about to have it.
    case unknownApp(bundleId: String)
    /// It cannot be stored now; Apple sends it again.
    case notKept(StorageFailure)
}
