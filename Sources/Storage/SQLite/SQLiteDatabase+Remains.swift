import Glibc

/// What may be left of a database in whose place none was made yet.
extension SQLiteDatabase {
    /// Deletes what the first start leaves where it could not make the tables, as on a full disk: the next one would take it
    /// for a file that has lost its log.
    ///
    /// Only the process that made the file may do so. What another process has put into it stays; one that begins in the same moment
    /// signs nothing, as its file is gone. SQLite is not asked: on a full disk it cannot tell.
    package static func deleteIfNothingIsIn(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { Glibc.close(descriptor) }
        // The table of all tables begins there (https://www.sqlite.org/fileformat.html, 1.6): a leaf (13), and its rows.
        var start = [UInt8](repeating: 0, count: 105)
        let length = pread(descriptor, &start, start.count, 0)
        let hasNoTable = length == 0 || length == start.count && start[100] == 13 && start[103] == 0 && start[104] == 0
        guard hasNoTable, FileIdentity(of: path + "-wal").map({ $0.size == 0 }) ?? true else { return }
        for file in [path + "-wal", path + "-shm", path] { unlink(file) }
    }

    /// Whether a file has any table in it; `nil` where there is none, or it cannot be read.
    package static func hasTables(at path: String) -> Bool? {
        guard SQLiteFiles.orphanedLog(of: path) == nil else { return nil }
        let connection = try? SQLiteConnection(path, isReadOnly: true, busyTimeoutSeconds: busyTimeoutSeconds)
        return (try? connection?.run("SELECT 1 FROM sqlite_master LIMIT 1")).map { $0.count > 0 }
    }
}
