import Offers

@testable import Storage

extension SQLiteDatabase {
    /// Changes the file as no service does.
    func execute(_ statements: String...) throws {
        try transaction(.beside) { session throws(StorageFailure) in
            for sql in statements { try session.run(sql) }
        }
    }

    /// The number that a query finds.
    func integer(_ sql: String) throws -> Int64 {
        try read { session throws(StorageFailure) in try session.run(sql).integer(0, 0) }
    }

    /// The text that a query finds.
    func text(_ sql: String) throws -> String {
        try read { session throws(StorageFailure) in try session.run(sql).text(0, 0) }
    }

    func hasTable(_ name: String) throws -> Bool {
        try integer("SELECT count(*) FROM sqlite_master WHERE name = '\(name)'") > 0
    }
}
