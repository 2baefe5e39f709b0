import Foundation
import Offers
import Storage

/// The database that the ledger is in: a file beside one service, or a server that several share.
enum LedgerDatabase: Sendable {
    case sqlite(SQLiteDatabase)
    case postgreSQL(PostgreSQLDatabase)

    /// The purpose that a database is opened for.
    enum Access {
        /// Reads and writes, and makes what is missing.
        case readWrite
        /// Reads and writes what is there; makes no file, and no ledger in PostgreSQL.
        case existing
        /// Reads what is there.
        case readOnly
    }

    /// Opens the database.
    ///
    /// A PostgreSQL server that is out of reach is no error: see ``fault``.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - access: What it is opened for.
    ///   - keys: The keys that the ledger is written with; `nil` where none are used.
    /// - Throws: `StorageFailure` when it cannot be used.
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

    /// Makes or changes the tables of a ledger.
    ///
    /// - Parameter location: Where it is; a file has to be there.
    /// - Returns: The names of the steps that were made.
    /// - Throws: `StorageFailure`.
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

    /// The database, whichever it is.
    var storage: any SQLDatabase {
        switch self {
        case .sqlite(let file): file
        case .postgreSQL(let database): database
        }
    }

    /// The kind of database, as in a metric's label.
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

    /// Warnings for the operator, though the database is read and written.
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

    /// Looks whether a service could write its ledger in a PostgreSQL database.
    ///
    /// - Returns: What was found; `nil` of a file.
    /// - Throws: `StorageFailure` where the server cannot be asked.
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
