import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import Storage

@Suite("The SQLite file")
struct SQLiteDatabaseTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("ledger.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("A commit is on durable storage before it is confirmed: synchronous is FULL on the connection that writes")
    func durable() throws {
        let database = try SQLiteDatabase(path: path)
        #expect(try database.synchronousMode() == 2)
        #expect(try database.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    }

    @Test("A new file has small pages, of which a commit writes less; one that is there keeps its own")
    func pages() throws {
        let size = "PRAGMA page_size"
        #expect(try SQLiteDatabase(path: path).read { try Int.fetchOne($0, sql: size) } == 2048)
        let older = directory.path("older.sqlite")
        try DatabaseQueue(path: older).write { try $0.execute(sql: "CREATE TABLE kept (value TEXT)") }
        let database = try SQLiteDatabase(path: older)
        #expect(try database.read { try Int.fetchOne($0, sql: size) } == 4096)
        try database.write { try $0.execute(sql: "INSERT INTO kept VALUES ('one')") }
        #expect(try database.read { try String.fetchOne($0, sql: "SELECT value FROM kept") } == "one")
    }

    @Test("SQLite counts no memory, for which it would take a lock at each allocation")
    func memory() throws {
        let database = try SQLiteDatabase(path: path)
        #expect(SQLiteDatabase.isSetUp)
        #expect(sqlite3_memory_used() == 0)
        _ = database
    }

    @Test("Nobody but the service's user can read the file or its log")
    func mode() throws {
        let database = try SQLiteDatabase(path: path)
        for file in [path, path + "-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
        _ = database
    }

    @Test("What was written is there after opening it again, and tables are made once")
    func reopened() throws {
        let count = "SELECT count(*) FROM schema_migrations"
        let first = try SQLiteDatabase(path: path)
        let made = try first.read { try Int.fetchOne($0, sql: count) }
        try first.write { try $0.execute(sql: "CREATE TABLE kept (value TEXT)") }
        let second = try SQLiteDatabase(path: path)
        #expect(try second.read { try $0.tableExists("kept") })
        #expect(try second.read { try Int.fetchOne($0, sql: count) } == made)
    }

    @Test("A transaction that fails changes nothing")
    func rollback() throws {
        struct Stop: Error {}
        let database = try SQLiteDatabase(path: path)
        #expect(throws: StorageFailure.self) {
            try database.write { database in
                try database.execute(sql: "CREATE TABLE half (value TEXT)")
                throw Stop()
            }
        }
        #expect(try !database.read { try $0.tableExists("half") })
    }

    @Test("A file that a newer version has changed is refused, by name", arguments: [true, false])
    func newerSchema(toRead: Bool) throws {
        try SQLiteDatabase(path: path).write {
            try $0.execute(sql: "INSERT INTO schema_migrations (name) VALUES ('from the future')")
        }
        let failure = #expect(throws: StorageFailure.self) {
            try SQLiteDatabase(path: path, access: toRead ? .readOnly : .readWrite)
        }
        #expect(failure?.code == .newerSchema)
        #expect(failure?.detail.contains("from the future") == true)
        #expect(failure?.detail.contains(path) == true)
    }

    @Test("What is no database is refused, and left as it was")
    func noDatabase() throws {
        let text = String(repeating: "This is a letter, not a database. ", count: 40)
        try Data(text.utf8).write(to: URL(filePath: path))
        let failure = #expect(throws: StorageFailure.self) { try SQLiteDatabase(path: path) }
        #expect(failure?.code == .notADatabase)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test("A directory that is not there is named")
    func noDirectory() throws {
        let path = directory.path("nowhere/ledger.sqlite")
        let failure = #expect(throws: StorageFailure.self) { try SQLiteDatabase(path: path) }
        #expect(failure?.code == .cannotOpen)
        #expect(failure?.detail.contains(path) == true)
    }

    @Test("To read, nothing is made")
    func readOnly() throws {
        let failure = #expect(throws: StorageFailure.self) { try SQLiteDatabase(path: path, access: .readOnly) }
        #expect(failure?.code == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: path))
        let writer = try SQLiteDatabase(path: path)
        let reader = try SQLiteDatabase(path: path, access: .readOnly)
        #expect(throws: StorageFailure.self) { try reader.write { try $0.execute(sql: "CREATE TABLE t (v TEXT)") } }
        _ = writer
    }

    @Test("Many who open a new file at once make its tables once", .timeLimit(.minutes(30)))
    func race() async throws {
        let path = path
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { _ = try SQLiteDatabase(path: path) } }
            try await group.waitForAll()
        }
    }

    @Test("Closed, the file has everything in itself, and its log is gone")
    func closed() throws {
        let database = try SQLiteDatabase(path: path)
        try database.write { try $0.execute(sql: "CREATE TABLE kept (value TEXT)") }
        database.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let copy = directory.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try SQLiteDatabase(path: copy, access: .readOnly).read { try $0.tableExists("kept") })
        #expect(throws: StorageFailure.self) { try database.read { try $0.tableExists("kept") } }
        #expect(throws: StorageFailure.self) { try database.write { try $0.execute(sql: "DROP TABLE kept") } }
    }

    @Test("Closed while its log is in another place, both are left as they are")
    func closedApart() throws {
        let database = try SQLiteDatabase(path: path)
        try database.write { try $0.execute(sql: "CREATE TABLE kept (value TEXT)") }
        let log = path + "-wal"
        try FileManager.default.moveItem(atPath: log, toPath: log + ".away")
        try FileManager.default.copyItem(atPath: log + ".away", toPath: log)
        let before = try Data(contentsOf: URL(filePath: path))
        database.close()
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(FileManager.default.fileExists(atPath: log))
    }

    @Test(
        "A log without its file is not taken for an empty database's, whatever the file is opened for",
        arguments: [SQLiteDatabase.Access.readWrite, .existing, .readOnly],
        [true, false]
    )
    func strayLog(access: SQLiteDatabase.Access, isEmpty: Bool) throws {
        try Data(repeating: 1, count: 4000).write(to: URL(filePath: path + "-wal"))
        if isEmpty { try Data().write(to: URL(filePath: path)) }
        let failure = #expect(throws: StorageFailure.self) { try SQLiteDatabase(path: path, access: access) }
        #expect(failure?.code == .cannotOpen)
        #expect(failure?.detail.contains("put the file back beside its log") == true)
        #expect(FileManager.default.fileExists(atPath: path) == isEmpty)
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")).count == 4000)
    }
}
