import Foundation
import Offers
import Testing

@testable import Storage

@Suite("The SQLite file")
struct SQLiteDatabaseTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("ledger.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    @Test("A commit is on durable storage before it is confirmed: synchronous is FULL on the connection that writes")
    func durable() throws {
        let database = try SQLiteDatabase(path: path)
        let mode = try database.withWriter { connection throws(StorageFailure) in
            try SQLiteSession(connection: connection, path: path).run("PRAGMA synchronous").integer(0, 0)
        }
        #expect(mode == 2)
        #expect(try database.text("PRAGMA journal_mode") == "wal")
    }

    @Test("Only the service's user can read the file and its log")
    func mode() throws {
        let database = try SQLiteDatabase(path: path)
        for file in [path, path + "-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
        _ = database
    }

    @Test("A file that is no database is refused, and left as it was")
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
        #expect(throws: StorageFailure.self) { try reader.execute("CREATE TABLE t (v TEXT)") }
        _ = writer
    }

    @Test("Closed, the file has everything in itself, and its log is gone")
    func closed() throws {
        let database = try SQLiteDatabase(path: path)
        try database.execute("CREATE TABLE kept (value TEXT)")
        database.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let copy = directory.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try SQLiteDatabase(path: copy, access: .readOnly).hasTable("kept"))
        #expect(throws: StorageFailure.self) { try database.hasTable("kept") }
        #expect(throws: StorageFailure.self) { try database.execute("DROP TABLE kept") }
    }

    @Test("Closed while its log is in another place, both are left as they are")
    func closedApart() throws {
        let database = try SQLiteDatabase(path: path)
        try database.execute("CREATE TABLE kept (value TEXT)")
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
        arguments: [SQLAccess.readWrite, .existing, .readOnly],
        [true, false]
    )
    func orphanedLog(access: SQLAccess, isEmpty: Bool) throws {
        try Data(repeating: 1, count: 4000).write(to: URL(filePath: path + "-wal"))
        if isEmpty { try Data().write(to: URL(filePath: path)) }
        let failure = #expect(throws: StorageFailure.self) { try SQLiteDatabase(path: path, access: access) }
        #expect(failure?.code == .cannotOpen)
        #expect(failure?.detail.contains("put the file back beside its log") == true)
        #expect(FileManager.default.fileExists(atPath: path) == isEmpty)
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")).count == 4000)
    }
}
