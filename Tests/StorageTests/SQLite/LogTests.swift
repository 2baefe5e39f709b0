import Foundation
import Offers
import Testing

@testable import Storage

@Suite("The log of an SQLite file, while it is in use")
struct LogTests {
    private static let pageSize = SQLiteDatabase.pageSize
    /// How many rows make the log long.
    private static let rows = LogCheckpoints.length / pageSize

    private let directory: TemporaryDirectory
    private var path: String { directory.path("ledger.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    /// A file with a table of rows that take a little more than a page each.
    private func database() throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path: path)
        try database.execute("CREATE TABLE pages (number INTEGER PRIMARY KEY, filling BLOB)")
        return database
    }

    private func checkpoint(_ mode: String = "", by database: SQLiteDatabase) throws {
        try database.withWriter { connection throws(StorageFailure) in
            _ = try SQLiteSession(connection: connection, path: "").run("PRAGMA wal_checkpoint\(mode)")
        }
    }

    private func insert(_ count: Int, into database: SQLiteDatabase) throws {
        try database.transaction(.beside) { session throws(StorageFailure) in
            let filling = SQLValue.bytes([UInt8](repeating: 1, count: Self.pageSize))
            for _ in 0..<count { try session.run("INSERT INTO pages (filling) VALUES ($1)", filling) }
        }
    }

    private func size(of path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    @Test("The log stays as long as it is, however long commits go on without a pause, and nothing is lost")
    func bounded() throws {
        let (commits, rows) = (1200, 20)
        do {
            let database = try database()
            for _ in 0..<commits { try insert(rows, into: database) }
            #expect(try size(of: path + "-wal") < 4 * LogCheckpoints.length)
        }
        let count = try SQLiteDatabase(path: path, access: .readOnly).integer(
            "SELECT COUNT(*) FROM pages WHERE length(filling) = \(Self.pageSize)"
        )
        #expect(count == Int64(commits * rows))
    }

    @Test("A log that grows because of a long read of the file is reported, until the read ends")
    func pinned() throws {
        let database = try database()
        let reader = try SQLiteConnection(path, isReadOnly: true, busyTimeoutSeconds: 1)
        try reader.run("BEGIN")
        try reader.run("SELECT COUNT(*) FROM pages")
        for _ in 0..<9 { try? insert(Self.rows / 2, into: database) }
        let length = database.warning?.firstMatch(of: /-wal is (\d+) MB long/).flatMap { Int($0.1) }
        #expect(length.map { $0 << 20 >= 4 * LogCheckpoints.length } == true, "\(database.warning ?? "no warning")")
        try reader.run("COMMIT")
        // It is brought into the file beside the commits, and the log begun anew with one that comes after.
        let deadline = Date() + 60
        while database.warning != nil, Date() < deadline {
            try insert(1, into: database)
            usleep(10_000)
        }
        #expect(database.warning == nil)
    }

    @Test("The commit that makes the log long does not wait for its pages: they are brought into the file after it")
    func beside() async throws {
        let database = try database()
        // A little more than a page a row: the log is not long yet, and is long then.
        try insert(Self.rows / 2, into: database)
        #expect(try size(of: path) < LogCheckpoints.length / 2)
        try insert(Self.rows / 2, into: database)
        // Where all processors are busy, it may take its time.
        for _ in 0..<15_000 where try size(of: path) < LogCheckpoints.length {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try size(of: path) >= LogCheckpoints.length)
        _ = database
    }

    @Test(
        "Where somebody cut the log short, nothing is written after the hole, and none of it comes into the file",
        arguments: [0, 4096]
    )
    func cutShort(length: Int) throws {
        let database = try database()
        try checkpoint(by: database)
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
        let database = try database()
        let other = try SQLiteDatabase(path: path)
        for round in 0..<4 {
            try insert(60, into: database)
            // As `PRAGMA wal_checkpoint(TRUNCATE)` of the sqlite3 command does.
            try checkpoint("(TRUNCATE)", by: other)
            try insert(1, into: round % 2 == 0 ? database : other)
        }
        #expect(try database.integer("SELECT count(*) FROM pages") == 244)
        #expect(try database.text("PRAGMA integrity_check") == "ok")
    }
}
