/// A failure of the ports to storage, which all have this one.
///
/// The text names the file or server and the fix; never a value that was to be stored.
package struct StorageFailure: Error, CustomStringConvertible {
    /// Two failures are equal when their codes are.
    package enum Code: String, Sendable, CaseIterable {
        /// There is no such file, or it cannot be opened.
        case cannotOpen
        /// The file is no database.
        case notADatabase
        /// A newer version of the service has changed its tables.
        case newerSchema
        /// There are no tables yet, or those of an earlier version, and it was not opened to make them.
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
        /// The server answered, and does not let the service in, or a pooler is before it that the service refuses.
        case turnedAway
        /// Another transaction keeps something locked.
        case locked
        /// The caller had an answer before it was written, so nothing was.
        case abandoned
        case closed
        /// The database works, but never accepts one of the values.
        case refused
        /// A stored value is not one that this service writes.
        case malformed
        case diskFull
        /// The writer's chain ends before a record that had been on durable storage.
        case setBack
        /// The database lost records, and no operator has acknowledged it.
        case recordsLost
        /// Another writer ended the writer's chain of the ledger, and it begins a new one.
        case chainEnded
    }

    package let code: Code
    /// The failure and its fix, in a sentence or two.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// A commit that is taken back, as its callers have timed out.
    package static let abandoned = StorageFailure(.abandoned, "nobody waited for it any more")

    /// A stored value is not as it was written.
    package static func malformed(_ column: String) -> StorageFailure {
        StorageFailure(.malformed, "a row's \(column) is not of its type")
    }

    package var description: String { detail }
}

extension StorageFailure: Equatable {
    /// By code: the same failure, whatever it was about.
    package static func == (left: StorageFailure, right: StorageFailure) -> Bool { left.code == right.code }
}
