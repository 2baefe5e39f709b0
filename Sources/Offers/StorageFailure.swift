/// Why something could not be stored or read: the one failure of the ports to storage.
///
/// The text names the file or server and the fix; never a value that was to be stored.
package struct StorageFailure: Error, CustomStringConvertible {
    /// The kind of failure: two failures are equal when their codes are.
    package enum Code: String, Sendable, CaseIterable {
        /// There is no such file, or it cannot be opened.
        case cannotOpen
        /// The file is no database.
        case notADatabase
        /// A newer version of the service has changed its tables.
        case newerSchema
        /// There are no tables yet, or those of an earlier version, and it is not opened for making them.
        case notMigrated
        /// The ledger was written with other keys.
        case otherKeys
        /// A commit would be confirmed before it is on durable storage.
        case notDurable
        /// It could not be read or written now; later it may be.
        case unavailable
        /// More waits to be written than may wait.
        case full
        /// It was not on durable storage in time.
        case tooSlow
        /// The server answered, and does not let the service in.
        case turnedAway
        /// Another transaction keeps something locked.
        case locked
        /// The caller had an answer before it was written, so nothing was.
        case abandoned
        /// The service is stopping.
        case closed
        /// The database works, but never accepts one of the values.
        case refused
        /// A stored value is not one that this service writes.
        case malformed
        /// The database's disk is full.
        case diskFull
        /// The writer's chain ends before a record that had been on durable storage.
        case setBack
        /// The database lost records, and no operator has acknowledged it.
        case recordsLost
        /// The writer's chain of the ledger was ended by another: it begins a new one.
        case chainEnded
    }

    /// The kind of failure.
    package let code: Code
    /// The failure and its fix, in a sentence or two.
    package let detail: String

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - detail: The failure and its fix.
    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// A commit that is taken back, as its callers have timed out.
    package static let abandoned = StorageFailure(.abandoned, "nobody waited for it any more")

    /// A row's value is not what was written.
    package static func malformed(_ column: String) -> StorageFailure {
        StorageFailure(.malformed, "a row's \(column) is not of its type")
    }

    /// The failure and its fix.
    package var description: String { detail }
}

extension StorageFailure: Equatable {
    /// Equal by code: the same failure, whatever it was about.
    package static func == (left: StorageFailure, right: StorageFailure) -> Bool { left.code == right.code }
}
