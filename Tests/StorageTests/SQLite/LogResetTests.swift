import Foundation
import Offers
import Testing

@testable import Storage

/// SQLite 3.7.0 to 3.51.2 can corrupt a file whose log is begun anew while another connection brings it into the file.
@Suite("No commit begins the log of an SQLite file anew while another connection brings it into the file")
struct LogResetTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("ledger.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private func database() throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path: path)
        try database.execute("CREATE TABLE pages (number INTEGER PRIMARY KEY)")
        return database
    }

    private static let insert = "INSERT INTO pages (number) VALUES (NULL)"

    /// The salt in the log's header (https://www.sqlite.org/fileformat2.html, 4.1): another each time that it is begun.
    private var beginning: Data { get throws { try Data(contentsOf: URL(filePath: path + "-wal"))[16..<24] } }

    /// Another connection, as of the sqlite3 command.
    private func stranger() throws -> SQLiteConnection {
        try SQLiteConnection(path, isReadOnly: false, busyTimeoutSeconds: 1)
    }

    /// The lock of who brings the log into the file, as another process holds it (https://www.sqlite.org/walformat.html,
    /// 2.3): of an open file, as this process's own would not keep this process out.
    private func setCopyingLock(_ kind: Int32, _ descriptor: Int32) throws {
        var range = flock(l_type: Int16(kind), l_whence: Int16(SEEK_SET), l_start: 121, l_len: 1, l_pid: 0)
        // F_OFD_SETLK
        try #require(fcntl(descriptor, 37, &range) == 0)
    }

    @Test("A commit that would do so waits for whoever copies the log, and fails if that takes too long; others go on")
    func commit() throws {
        let database = try database()
        let index = open(path + "-shm", O_RDWR)
        // Closed earlier, it would release SQLite's own locks.
        defer {
            database.close()
            close(index)
        }
        try stranger().run("PRAGMA wal_checkpoint")
        let first = try beginning
        try setCopyingLock(F_WRLCK, index)
        let failure = #expect(throws: StorageFailure.self) { try database.execute(Self.insert) }
        #expect(failure?.code == .unavailable)
        #expect(failure?.detail.contains("another process has brought its log into the file for too long") == true)
        #expect(try beginning == first)
        try setCopyingLock(F_UNLCK, index)
        try database.execute(Self.insert)
        let second = try beginning
        #expect(second != first)
        try setCopyingLock(F_WRLCK, index)
        try database.execute(Self.insert)
        #expect(try beginning == second)
        #expect(try database.integer("SELECT count(*) FROM pages") == 2)
    }

    @Test("While such a commit is under way nobody can copy the log, and afterwards everybody can")
    func copier() throws {
        let database = try database()
        let stranger = try stranger()
        func copy() throws -> Rows { try stranger.run("PRAGMA wal_checkpoint") }
        #expect(try copy().integer(0, 0) == 0)
        let first = try beginning
        try database.transaction(.beside) { session throws(StorageFailure) in
            try session.run(Self.insert)
            let copied = try? stranger.run("PRAGMA wal_checkpoint").integer(0, 0)
            // It is busy.
            guard copied == 1 else { throw StorageFailure(.unavailable, "copied") }
        }
        #expect(try beginning != first)
        #expect(try copy().integer(0, 0) == 0)
    }

    @Test("While this process copies the log, a commit of a stranger adds to it")
    func strangersCommit() throws {
        let database = try database()
        defer { database.close() }
        let stranger = try stranger()
        let checkpoints = LogCheckpoints(path: path, pageSize: SQLiteDatabase.pageSize)
        let first = try beginning
        let kept = try checkpoints.whileLogStays { copier in
            // All of it is in the file then, and the next commit would begin it anew.
            (try? copier.run("PRAGMA wal_checkpoint")) != nil && (try? stranger.run(Self.insert)) != nil
                && (try? beginning) == first
        }
        #expect(kept == true)
        try stranger.run("PRAGMA wal_checkpoint")
        #expect(try checkpoints.whileLogStays { _ in true } == nil)
        try stranger.run(Self.insert)
        #expect(try beginning != first)
    }

    @Test("No connection copies the log by itself, however long its commit has made it")
    func long() throws {
        let database = try database()
        defer { database.close() }
        let stranger = try stranger()
        try stranger.run("CREATE TABLE filling (bytes BLOB)")
        try stranger.run("INSERT INTO filling VALUES (zeroblob(\(4 << 20)))")
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(try #require(size) < 1 << 20)
    }
}
