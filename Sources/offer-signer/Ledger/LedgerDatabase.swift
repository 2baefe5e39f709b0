import Foundation
import Offers
import Storage

/// The database that the ledger is in: a file beside one service, or a server that several share.
enum LedgerDatabase: Sendable {
    case sqlite(SQLiteDatabase)
    case postgreSQL(PostgreSQLDatabase)

    enum Access {
        /// Makes what is missing.
        case readWrite
        /// Makes no file, and no ledger in PostgreSQL.
        case existing
        case readOnly
    }

    /// A PostgreSQL server that is out of reach is no error: see ``fault``.
    ///
    /// Without `keys`, none are used.
    init(_ location: LedgerLocation, access: Access, keys: LedgerKeyMarks? = nil) throws(StorageFailure) {
        switch location {
        case .sqlite(let path):
            let access: SQLiteDatabase.Access =
                switch access {
                case .readWrite: .readWrite
                case .existing: .existing
                case .readOnly: .readOnly
                }
            self = .sqlite(try SQLiteDatabase(path: path, access: access, keys: keys))
        case .postgres(let url):
            if let fault = Self.environmentFault { throw StorageFailure(.cannotOpen, fault) }
            let access: PostgreSQLDatabase.Access =
                switch access {
                case .readWrite: .readWrite
                case .existing: .existing
                case .readOnly: .readOnly
                }
            self = .postgreSQL(try PostgreSQLDatabase(url: url, access: access, keys: keys))
        }
    }

    /// Makes or changes the tables; returns the names of the steps.
    static func migrate(_ location: LedgerLocation) throws(StorageFailure) -> [String] {
        switch location {
        case .sqlite(let path):
            let file = try SQLiteDatabase(path: path, access: .existing)
            defer { file.close() }
            return file.madeSteps
        case .postgres(let url):
            if let fault = environmentFault { throw StorageFailure(.cannotOpen, fault) }
            return try PostgreSQLDatabase.migrate(url: url)
        }
    }

    /// What of the environment keeps a PostgreSQL database from being opened; `nil` when nothing does.
    ///
    /// libpq would take the password, and everything that shows environments would show it.
    static var environmentFault: String? {
        ProcessInfo.processInfo.environment["PGPASSWORD"] == nil
            ? nil : "PGPASSWORD is in the environment; take it away, and put the password into a passfile (PGPASSFILE)"
    }

    var storage: any SQLDatabase {
        switch self {
        case .sqlite(let file): file
        case .postgreSQL(let database): database
        }
    }

    /// As in a metric's label.
    var kind: String {
        switch self {
        case .sqlite: "sqlite"
        case .postgreSQL: "postgresql"
        }
    }

    /// Why nothing can be written now, in a sentence; `nil` while nothing is known to be wrong.
    var fault: String? {
        switch self {
        case .sqlite(let file): file.fault
        case .postgreSQL(let database): database.fault
        }
    }

    /// The cause that commits wait for, in a sentence; `nil` when none is known.
    var cause: String? {
        switch self {
        case .sqlite: nil
        case .postgreSQL(let database): database.cause
        }
    }

    var warnings: [String] {
        switch self {
        case .sqlite(let file): [file.warning].compactMap(\.self).map { "ledger: \($0)" }
        case .postgreSQL(let database): database.warnings.map { "ledger: \($0)" }
        }
    }

    /// How many bytes the disk of an SQLite file has left; `nil` for a server, which has a disk of its own.
    var freeBytes: Int? {
        switch self {
        case .sqlite(let file): file.freeBytes
        case .postgreSQL: nil
        }
    }

    /// Why a PostgreSQL server could not be asked when it was opened, though it may be asked later; `nil` when it could.
    var failure: StorageFailure? {
        switch self {
        case .sqlite: nil
        case .postgreSQL(let database): database.failure
        }
    }

    /// Whether a service could write its ledger in a PostgreSQL database; `nil` of a file.
    func inspect() throws(StorageFailure) -> PostgreSQLInspection? {
        switch self {
        case .sqlite: nil
        case .postgreSQL(let database): try database.inspect()
        }
    }

    /// Closes it: a file has everything in itself then, where no other process uses it.
    func close() async {
        switch self {
        case .sqlite(let file): file.close()
        case .postgreSQL(let database): await database.close()
        }
    }
}
