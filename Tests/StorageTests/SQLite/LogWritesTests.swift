import Foundation
import Offers
import Testing

@testable import Storage

@Suite("The SQLite file's log, while it is in use")
struct LogWritesTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("ledger.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func insert(_ count: Int, into database: SQLiteDatabase) throws {
        try database.transaction(.beside) { session throws(StorageFailure) in
            for _ in 0..<count {
                try session.run("INSERT INTO texts (value) VALUES ($1)", .text(String(repeating: "x", count: 1000)))
            }
        }
    }

    @Test(
        "Where somebody cut the log short, nothing is written after the hole, and none of it comes into the file",
        arguments: [0, 4096]
    )
    func cutShort(length: Int) throws {
        let database = try SQLiteDatabase(path: path)
        try database.execute("CREATE TABLE texts (value TEXT NOT NULL)")
        try database.withWriter { connection throws(StorageFailure) in
            _ = try SQLiteSession(connection: connection, path: "").run("PRAGMA wal_checkpoint")
        }
        try insert(40, into: database)
        let before = try Data(contentsOf: URL(filePath: path))
        try #require(truncate(path + "-wal", off_t(length)) == 0)
        let failure = #expect(throws: StorageFailure.self) { try insert(1, into: database) }
        #expect(failure?.code == .unavailable)
        #expect(failure?.detail.contains("\(path)-wal lacks records that were written to it") == true)
        database.close()
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test("A log that another connection begins again, shorter, is whole")
    func begunAgain() throws {
        let database = try SQLiteDatabase(path: path)
        let other = try SQLiteDatabase(path: path)
        try database.execute("CREATE TABLE texts (value TEXT NOT NULL)")
        for round in 0..<4 {
            try insert(60, into: database)
            // As `PRAGMA wal_checkpoint(TRUNCATE)` of the sqlite3 command does.
            try other.withWriter { connection throws(StorageFailure) in
                _ = try SQLiteSession(connection: connection, path: "").run(
                    "PRAGMA wal_checkpoint(TRUNCATE)"
                )
            }
            try insert(1, into: round % 2 == 0 ? database : other)
        }
        #expect(try database.integer("SELECT count(*) FROM texts") == 244)
        #expect(try database.text("PRAGMA integrity_check") == "ok")
    }
}
