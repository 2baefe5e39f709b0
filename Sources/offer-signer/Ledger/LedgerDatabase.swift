import Foundation
import Offers
import Storage

/// The database that the ledger is in: a file beside one service, or a server that several share.
enum LedgerDatabase: Sendable {
    case sqlite(SQLiteDatabase)
    case postgreSQL(PostgreSQLDatabase)

    /// A PostgreSQL server that is out of reach is no error: see ``fault``.
    ///
    /// Without `keys`, none are used.
    init(_ location: LedgerLocation, access: SQLAccess, keys: LedgerKeyMarks? = nil) throws(StorageFailure) {
        switch location {
        case .sqlite(let path):
            self = .sqlite(try SQLiteDatabase(path: path, access: access, keys: keys))
        case .postgres(let url):
            if let fault = Self.environmentFault { throw StorageFailure(.cannotOpen, fault) }
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

    private var file: SQLiteDatabase? { if case .sqlite(let file) = self { file } else { nil } }

    private var server: PostgreSQLDatabase? { if case .postgreSQL(let server) = self { server } else { nil } }

    /// Why nothing can be written now, in a sentence; `nil` while nothing is known to be wrong.
    var fault: String? { file?.fault ?? server?.fault }

    /// The cause that commits wait for, in a sentence; `nil` when none is known.
    var cause: String? { server?.cause }

    var warnings: [String] {
        ([file?.warning].compactMap(\.self) + (server?.warnings ?? [])).map { "ledger: \($0)" }
    }

    /// How many bytes the disk of an SQLite file has left; `nil` for a server, which has a disk of its own.
    var freeBytes: Int? { file?.freeBytes }

    /// Why a PostgreSQL server could not be asked when it was opened, though it may be asked later; `nil` when it could.
    var failure: StorageFailure? { server?.failure }

    /// Whether a service could write its ledger in a PostgreSQL database; `nil` of a file.
    func inspect() throws(StorageFailure) -> PostgreSQLInspection? { try server?.inspect() }

    /// Closes it: a file has everything in itself then, where no other process uses it.
    func close() async {
        switch self {
        case .sqlite(let file): file.close()
        case .postgreSQL(let database): await database.close()
        }
    }
}
