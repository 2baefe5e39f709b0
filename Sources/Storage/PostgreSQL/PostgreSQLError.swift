package import Offers

/// What went wrong between the service and its PostgreSQL server.
///
/// It never carries a value of a statement, nor a password: only codes, names of tables and constraints, and what libpq
/// says of a connection that could not be made.
package struct PostgreSQLError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Equatable, Sendable {
        case unreachable
        /// A server answered, and lets nobody in as who is asking.
        case turnedAway(SQLState)
        /// No connection can be made in this way, whether a server is there or not.
        case impossible
        /// The server is an old primary: a newer one was seen.
        case superseded
        /// A pooler gives the connection's server to others between transactions.
        case pooled
        /// The server warned while it committed: whether a standby has it is not known.
        case uncertain(SQLState)
        /// The connection ended while statements were on their way: whether they took effect is not known.
        case connectionLost
        /// There was no answer in time: whether the statements took effect is not known.
        case timedOut
        /// More is waiting already than may wait.
        case busy
        case stopped
        case refused(SQLState)
        /// The answer does not have the shape that the statement asks for.
        case unexpectedAnswer
        /// The server does not keep what it has committed (`fsync` is off).
        case notDurable
        /// The tables cannot be used: they are not made yet (``StorageFailure/Code/notMigrated``), another version has
        /// changed them, or their ledger has other keys.
        case unusable(StorageFailure.Code)
        case invalidURL
    }

    package let code: Code
    /// The known details, in a few words, without values of statements; empty when the code says it all.
    package let detail: String

    package init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// Whether the same may succeed later, with nothing else changed.
    package var isRetryable: Bool {
        switch code {
        case .unreachable, .connectionLost, .timedOut, .busy: true
        // Somebody may set it right while the service waits.
        case .turnedAway, .impossible, .superseded, .pooled, .uncertain: true
        case .refused(let state): state.isRetryable
        case .unusable(let reason): reason == .notMigrated
        case .stopped, .unexpectedAnswer, .notDurable, .invalidURL: false
        }
    }

    /// Whether the server refused a statement, and would do so again.
    var isFinalRefusal: Bool { if case .refused(let state) = code { !state.isRetryable } else { false } }

    /// Whether the connection that it happened on is of no more use.
    var endsConnection: Bool {
        switch code {
        case .unreachable, .connectionLost, .timedOut, .unexpectedAnswer, .notDurable: true
        case .turnedAway, .impossible, .superseded, .pooled: true
        case .refused(let state): state.endsConnection
        case .unusable(let reason): reason == .notMigrated
        case .uncertain, .busy, .stopped, .invalidURL: false
        }
    }

    package var description: String {
        let text =
            switch code {
            case .unreachable: "PostgreSQL cannot be reached"
            case .turnedAway(let state): "PostgreSQL turned the service away: \(state)"
            case .impossible: "there can be no connection to PostgreSQL"
            case .superseded:
                "PostgreSQL is an old primary: a newer one was seen; stop the old one, or keep it away (fencing)"
            case .pooled:
                "a pooler in transaction mode, or in statement mode, is between the service and PostgreSQL; use "
                    + "pool_mode=session, or the server itself"
            case .uncertain(let state):
                "PostgreSQL warned while it committed (SQLSTATE \(state.code)): no synchronous standby may have it; never "
                    + "cancel commits that wait for one"
            case .connectionLost: "the connection to PostgreSQL was lost"
            case .timedOut: "PostgreSQL did not answer in time"
            case .busy: "PostgreSQL is slower than what is asked of it"
            case .stopped: "the connection to PostgreSQL is being closed"
            case .refused(let state): "PostgreSQL: \(state)"
            case .unexpectedAnswer: "PostgreSQL answered otherwise than expected"
            case .notDurable: "PostgreSQL does not keep what it commits: fsync is off; switch it on"
            case .unusable(.notMigrated): "the tables in PostgreSQL cannot be used yet"
            case .unusable(.otherKeys): "the ledger in PostgreSQL has other keys"
            case .unusable: "the tables in PostgreSQL cannot be used"
            case .invalidURL: "the URL of PostgreSQL cannot be used"
            }
        return detail.isEmpty ? text : "\(text): \(detail)"
    }
}

extension StorageFailure {
    /// What went wrong, for those who do not care where things are kept.
    init(_ error: PostgreSQLError, at place: String) {
        let code: Code =
            switch error.code {
            case .notDurable: .notDurable
            case .unexpectedAnswer: .malformed
            case .unusable(let reason): reason
            case .invalidURL: .cannotOpen
            case .turnedAway(let state) where !state.isOfStart: .turnedAway
            case .impossible, .pooled, .refused(.notAllowed): .turnedAway
            case .refused(.lockNotAvailable): .locked
            case .refused(.diskFull): .diskFull
            case .refused(let state) where state.isForValues: .refused
            default: .unavailable
            }
        self.init(code, "\(place): \(error)")
    }
}
