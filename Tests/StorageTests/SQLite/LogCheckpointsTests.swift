import Foundation
import Offers
import Testing

@testable import Storage

@Suite("Bringing the log's pages into the file")
struct LogCheckpointsTests {
    private static let pageSize = SQLiteDatabase.pageSize
    /// How many rows make the log long.
    private static let rows = LogCheckpoints.length / pageSize

    /// A file with a table of rows that take a little more than a page each.
    private func database(at path: String) throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path: path)
        try database.execute("CREATE TABLE pages (number INTEGER PRIMARY KEY, filling BLOB)")
        return database
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
        let directory = try TemporaryDirectory()
        let path = directory.path("ledger.sqlite")
        let (commits, rows) = (1200, 20)
        do {
            let database = try database(at: path)
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
        let directory = try TemporaryDirectory()
        let path = directory.path("ledger.sqlite")
        let database = try database(at: path)
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
        let directory = try TemporaryDirectory()
        let path = directory.path("ledger.sqlite")
        let database = try database(at: path)
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
}
