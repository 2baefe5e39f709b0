/// What is kept could not be opened, read or written.
///
/// The text names the file or server and the fix; never a value that was to be kept.
public struct StorageFailure: Error, CustomStringConvertible {
    /// Which failure it is: two failures are equal when their codes are.
    public enum Code: String, Sendable, CaseIterable {
        /// There is no such file, or it cannot be opened.
        case cannotOpen
        /// What is there is no database.
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
        /// The server answered, and does not let the service in.
        case turnedAway
        /// Another transaction keeps something locked.
        case locked
        /// The database is well, and takes none of what was written for one of its values: it never will.
        case refused
        /// Nobody waited for it any more, so nothing was written.
        case abandoned
        /// What was read is not what was written.
        case malformed
        /// The database's disk is full.
        case full
        /// The writer's chain ends before a record that had been on durable storage.
        case setBack
        /// The database lost records, and no operator has acknowledged it.
        case recordsLost
        /// The writer's chain of the ledger was ended by another: it begins a new one.
        case chainEnded
    }

    /// Which failure it is.
    public let code: Code
    /// What failed, and the fix, in a sentence or two.
    public let detail: String

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - code: Which failure it is.
    ///   - detail: What failed, and the fix.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// What failed, and the fix.
    public var description: String { detail }
}

extension StorageFailure: Equatable {
    /// Equal by code: the same failure, whatever it was about.
    public static func == (left: StorageFailure, right: StorageFailure) -> Bool { left.code == right.code }
}

extension StorageFailure {
    /// What was to be written is taken back: who asked for it was told that it took too long.
    static let abandoned = StorageFailure(.abandoned, "nobody waited for it any more")
}
