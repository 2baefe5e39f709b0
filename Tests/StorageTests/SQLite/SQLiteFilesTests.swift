import Foundation
import Glibc
import Offers
import Testing

@testable import Storage

@Suite("The files of an SQLite ledger, against those who can change its directory", .timeLimit(.minutes(30)))
struct SQLiteFilesTests {
    private let fixture: LedgerFixture

    init() throws { fixture = try LedgerFixture(.sqlite) }

    private func mode(_ mode: mode_t, of path: String) { #expect(chmod(path, mode) == 0) }

    @Test(
        "The file, its log or the log's index is moved away or replaced in use: nothing is signed until it is back",
        arguments: ["", "-wal", "-shm"],
        [false, true]
    )
    func moved(suffix: String, isReplaced: Bool) throws {
        let store = try fixture.store()
        _ = try store.commit([.of(at: fixture.now)])
        let (file, away) = (fixture.path + suffix, fixture.path + suffix + ".away")
        #expect(rename(file, away) == 0)
        if isReplaced { try FileManager.default.copyItem(atPath: away, toPath: file) }
        let failure = #expect(throws: StorageFailure(.unavailable, "")) { try store.commit([.of(at: fixture.now)]) }
        let says = suffix == "-wal" ? isReplaced ? "replaced" : "moved or deleted" : "moved, replaced or deleted"
        #expect(failure?.detail.contains("ledger.sqlite\(suffix) was \(says)") == true, "\(failure?.detail ?? "")")
        if isReplaced { #expect(unlink(file) == 0) }
        #expect(rename(away, file) == 0)
        #expect(try store.commit([.of(at: fixture.now)]) == [[.recorded]])
        #expect(try fixture.records().count == 2)
    }

    @Test("Where the log's index is gone, a stop leaves the log as it is: another process may have written to it")
    func indexAtTheEnd() throws {
        for isThere in [true, false] {
            let database = try SQLiteDatabase(path: fixture.path)
            try database.execute("CREATE TABLE IF NOT EXISTS others (value TEXT)", "INSERT INTO others VALUES ('a')")
            if !isThere { #expect(unlink(fixture.path + "-shm") == 0) }
            database.close()
            #expect(FileManager.default.fileExists(atPath: fixture.path + "-wal") == !isThere)
        }
    }

    @Test("A file that was cut short in use takes no more records, and a stop leaves the log as it is")
    func cutShort() throws {
        let database = try SQLiteDatabase(path: fixture.path)
        let store = try fixture.store(in: database)
        _ = try store.commit([.of(at: fixture.now)])
        let size = try #require(FileIdentity(of: fixture.path)?.size)
        #expect(truncate(fixture.path, size - 1) == 0)
        #expect(database.fault?.contains("was emptied or cut short") == true)
        #expect(throws: StorageFailure(.unavailable, "")) { try store.commit([.of(at: fixture.now)]) }
        database.close()
        #expect(FileManager.default.fileExists(atPath: fixture.path + "-wal"))
    }

    @Test("A file with a second name is refused, by both, and in use")
    func hardLink() throws {
        let store = try fixture.store()
        _ = try store.commit([.of(at: fixture.now)])
        let other = fixture.directory.path("other.sqlite")
        #expect(link(fixture.path, other) == 0)
        for path in [fixture.path, other] {
            for access in [SQLAccess.readWrite, .readOnly] {
                let failure = #expect(throws: StorageFailure(.cannotOpen, "")) {
                    try SQLiteDatabase(path: path, access: access)
                }
                #expect(failure?.detail.contains("has 2 names (hard links)") == true, "\(failure?.detail ?? "")")
            }
        }
        #expect(throws: StorageFailure(.unavailable, "")) { try store.commit([.of(at: fixture.now)]) }
        #expect(unlink(other) == 0)
        #expect(try store.commit([.of(at: fixture.now)]) == [[.recorded]])
    }

    @Test("By a symbolic link the same log is used and watched")
    func symbolicLink() throws {
        let store = try fixture.store()
        let other = fixture.directory.path("other.sqlite")
        #expect(symlink(fixture.path, other) == 0)
        let linked = try SQLiteDatabase(path: other)
        _ = try store.commit([.of(at: fixture.now)])
        #expect(try linked.integer("SELECT count(*) FROM ledger_records") == 1)
        #expect(!FileManager.default.fileExists(atPath: other + "-wal"))
        #expect(linked.fault == nil)
        #expect(unlink(fixture.path + "-wal") == 0)
        #expect(linked.fault?.contains("-wal was moved or deleted") == true)
    }

    @Test("A file that everybody may write is refused, at a start and in use; that its group may is fine")
    func openFile() throws {
        let store = try fixture.store()
        _ = try store.commit([.of(at: fixture.now)])
        mode(0o660, of: fixture.path)
        #expect(try fixture.store().commit([.of(at: fixture.now)]) == [[.recorded]])
        for file in ["", "-wal", "-shm"] {
            mode(0o666, of: fixture.path + file)
            let failure = #expect(throws: StorageFailure(.cannotOpen, "")) { try SQLiteDatabase(path: fixture.path) }
            let fix = "run `chmod o-w \(fixture.path + file)`"
            #expect(failure?.detail.contains(fix) == true, "\(failure?.detail ?? "")")
            if file.isEmpty {
                #expect(throws: StorageFailure(.unavailable, "")) { try store.commit([.of(at: fixture.now)]) }
            }
            mode(0o660, of: fixture.path + file)
        }
        #expect(try store.commit([.of(at: fixture.now)]) == [[.recorded]])
    }

    @Test("A directory that everybody may write is refused without the sticky bit; its group may")
    func openDirectory() throws {
        _ = try fixture.store()
        let directory = fixture.directory.url.path
        for (allowed, isRefused) in [(0o777, true), (0o1777, false), (0o770, false)] as [(mode_t, Bool)] {
            mode(allowed, of: directory)
            if isRefused {
                let failure = #expect(throws: StorageFailure(.cannotOpen, "")) {
                    try SQLiteDatabase(path: fixture.path)
                }
                #expect(failure?.detail.contains("chmod o-w \(directory)") == true, "\(failure?.detail ?? "")")
            } else {
                _ = try SQLiteDatabase(path: fixture.path)
            }
        }
    }

    @Test("No code of a file runs on any connection, and its schema cannot be written")
    func hardened() throws {
        _ = try SQLiteDatabase(path: fixture.path)
        let connection = try SQLiteConnection(fixture.path, isReadOnly: false, busyTimeoutSeconds: 1)
        for sql in [
            "CREATE TABLE texts (value TEXT)", "CREATE VIEW seen AS SELECT * FROM texts",
            "CREATE TRIGGER doubled AFTER INSERT ON texts BEGIN INSERT INTO texts VALUES ('twice'); END",
            "INSERT INTO texts VALUES ('once')", "PRAGMA writable_schema = ON",
        ] { try connection.run(sql) }
        #expect(try connection.run("SELECT value FROM texts").cells == [.text("once")])
        #expect(try connection.run("PRAGMA trusted_schema").cells == [.integer(0)])
        for sql in ["SELECT value FROM seen", "DELETE FROM sqlite_master"] {
            #expect(throws: SQLiteConnection.Failure.self) { try connection.run(sql) }
        }
    }
}
