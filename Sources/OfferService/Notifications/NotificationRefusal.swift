public import Offers

/// Why a notification was not taken.
public enum NotificationRefusal: Error, Equatable {
    /// It is not Apple's, or not for an app of the catalog.
    case notTaken(NotificationFault)
    /// It cannot be kept now; Apple sends it again.
    case notKept(StorageFailure)
}
