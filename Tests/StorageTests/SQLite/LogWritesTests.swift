import Foundation
import GRDB
import Testing

@testable import Storage

@Suite("The SQLite file's log, which is written in large pieces")
struct LogWritesTests {
    private struct Stop: Error {}

    private let directory: TemporaryDirectory
    private var path: String { directory.path("ledger.sqlite") }

    /// Of the thread that asks.
    private static let counts = "/proc/thread-self/io"

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() throws -> SQLiteDatabase { try SQLiteDatabase(path: path) }

    private func insert(_ count: Int, _ text: String, in database: Database) throws {
        for index in 0..<count {
            let value = "\(text) \(index) " + String(repeating: "x", count: 1000)
            try database.execute(sql: "INSERT INTO texts (value) VALUES (?)", arguments: [value])
        }
    }

    /// What another connection finds that opens the file now.
    private func found() throws -> (isSound: Bool, count: Int?) {
        try SQLiteDatabase(path: path, access: .readOnly).read { database in
            (
                try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"],
                try Int.fetchOne(database, sql: "SELECT count(*) FROM texts")
            )
        }
    }

    @Test("What was committed is found by whoever reads, at once")
    func read() throws {
        let database = try open()
        let reader = try open()
        try database.write { try $0.execute(sql: "CREATE TABLE texts (value TEXT NOT NULL)") }
        var count = 0
        for round in 0..<60 {
            // From less than a page to more than is gathered.
            let more = [1, 2, 7, 40, 300][round % 5]
            try database.write { try insert(more, "round \(round)", in: $0) }
            count += more
            #expect(try reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM texts") } == count)
            if round % 10 == 9 {
                let found = try found()
                #expect(found.isSound && found.count == count)
            }
        }
    }

    @Test("A large transaction that is undone leaves nothing in the way of another writer")
    func undone() throws {
        let first = try open()
        let second = try open()
        try first.write { try $0.execute(sql: "CREATE TABLE texts (value TEXT NOT NULL)") }
        // What has no room in memory goes to the log before the commit.
        try first.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = 10") }
        var count = 0
        for round in 0..<8 {
            // An empty log leaves nothing in it to be read, which would write what is gathered.
            if round % 2 == 0 { try second.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
            #expect(throws: StorageFailure.self) {
                try first.write { database in
                    try insert(60 + round, "undone", in: database)
                    throw Stop()
                }
            }
            try second.write { try insert(20, "second", in: $0) }
            try first.write { try insert(3, "first", in: $0) }
            count += 23
            let found = try found()
            #expect(found.isSound && found.count == count)
        }
        // Also when a part is undone and the rest stays.
        try first.write { database in
            try insert(60, "kept", in: database)
            try database.inSavepoint {
                try insert(60, "undone", in: database)
                return .rollback
            }
            try insert(60, "kept", in: database)
            // Its own writer reads it before anybody else can.
            let kept = "SELECT count(*) FROM texts WHERE value LIKE 'kept%x'"
            #expect(try Int.fetchOne(database, sql: kept) == 120)
        }
        let found = try found()
        #expect(found.isSound && found.count == count + 120)
    }

    @Test("A commit of many pages takes few writes", .enabled(if: FileManager.default.isReadableFile(atPath: counts)))
    func few() throws {
        let database = try open()
        try database.write { try $0.execute(sql: "CREATE TABLE texts (value TEXT NOT NULL)") }
        func writes() throws -> Int {
            let lines = try String(contentsOfFile: Self.counts, encoding: .utf8).split(separator: "\n")
            return lines.first { $0.hasPrefix("syscw: ") }.flatMap { Int($0.dropFirst(7)) } ?? 0
        }
        let before = try writes()
        try database.write { try insert(240, "many", in: $0) }
        // 80 pages.
        #expect(try writes() - before < 10)
    }

    @Test("Where somebody cut the log short, nothing is written after the hole, and none of it comes into the file")
    func cutShort() throws {
        let database = try open()
        try database.write { try $0.execute(sql: "CREATE TABLE texts (value TEXT NOT NULL)") }
        _ = try database.pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
        try database.write { try insert(40, "in the log", in: $0) }
        let before = try Data(contentsOf: URL(filePath: path))
        try #require(truncate(path + "-wal", 4096) == 0)
        let failure = #expect(throws: StorageFailure.self) { try database.write { try insert(1, "after", in: $0) } }
        #expect(failure?.code == .unavailable)
        #expect(failure?.detail.contains("\(path)-wal lacks records that were written to it") == true)
        #expect(throws: DatabaseError.self) {
            try database.pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
        }
        database.close()
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test("A log that another connection begins again, shorter, is whole")
    func begunAgain() throws {
        let database = try open()
        let other = try open()
        try database.write { try $0.execute(sql: "CREATE TABLE texts (value TEXT NOT NULL)") }
        for round in 0..<4 {
            try database.write { try insert(60, "long", in: $0) }
            // As `PRAGMA wal_checkpoint(TRUNCATE)` of the sqlite3 command does.
            try other.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try (round % 2 == 0 ? database : other).write { try insert(1, "short", in: $0) }
        }
        #expect(try found().count == 244)
    }
}
