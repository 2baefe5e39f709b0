import Glibc

/// The files of a database that is in use: the one that its path names, and its log (`-wal`), with the newest of what was
/// written.
///
/// While a connection is open nobody has a right to move, replace or delete either: SQLite itself deletes the log when
/// the last connection is closed, and not before.
struct SQLiteFiles: Sendable {
    /// The file.
    let path: String

    /// The path of its log; kept, as each commit looks for it.
    private let logPath: String
    private let file: FileIdentity?
    private let log: FileIdentity?

    /// Looks which files they are, when the log has been opened.
    ///
    /// - Parameter path: The file.
    init(inUseAt path: String) {
        self.path = path
        logPath = Self.log(of: path)
        file = FileIdentity(of: path)
        log = FileIdentity(of: logPath)
    }

    /// Sees that both still are where they were: what is written to one that was moved or deleted is on no record.
    ///
    /// - Throws: ``StorageFailure`` when one is not, or when the file was emptied, which SQLite never does: `VACUUM` leaves a page.
    func checkAreInPlace() throws(StorageFailure) {
        let found = FileIdentity(of: path)
        guard found == file else {
            throw StorageFailure(
                .unavailable,
                "\(path) was moved, replaced or deleted while it was in use; put it back, or start the service anew"
            )
        }
        guard !isEmptied(found) else {
            throw StorageFailure(
                .unavailable,
                "\(path) was emptied while it was in use, and the records in it are lost; stop the service, move it and its log "
                    + "\(logPath) away, and restore a backup"
            )
        }
        // Where none was seen, nothing can be said of it.
        guard let log else { return }
        guard let found = FileIdentity(of: logPath) else {
            throw StorageFailure(
                .unavailable,
                "\(logPath) was moved or deleted while it was in use, with the newest records in it; put it back, or stop the "
                    + "service, which writes them into \(path) then, and start it again"
            )
        }
        guard found == log else {
            throw StorageFailure(
                .unavailable,
                "\(logPath) was replaced while it was in use; put back the one that was there, which has the newest records "
                    + "in it"
            )
        }
    }

    /// Whether what is in the log may be brought into the file, and the log be deleted: the file is in its place, and so is
    /// the log, or nothing is in the log's place that anybody has written to since.
    var mayBecomeOne: Bool {
        let found = FileIdentity(of: path)
        guard found == file, !isEmptied(found) else { return false }
        return FileIdentity(of: logPath) == log || Self.size(of: logPath) == 0
    }

    /// Whether nothing is in the file any more, as after logrotate's `copytruncate`.
    private func isEmptied(_ found: FileIdentity?) -> Bool {
        guard let found, let file else { return false }
        return found.size == 0 && file.size > 0
    }

    /// Makes the file with mode 0600 when it is not there; its log gets the mode of the file.
    ///
    /// Nothing is made, or opened, where a log lies beside a file that is not there or is empty: SQLite would take the log
    /// for one that was left behind, and delete it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - isMade: Whether it is made.
    /// - Throws: ``StorageFailure``.
    static func prepare(_ path: String, isMade: Bool) throws(StorageFailure) {
        if let fault = strayLog(of: path) { throw StorageFailure(.cannotOpen, fault) }
        let descriptor = open(path, isMade ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StorageFailure(.cannotOpen, "\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        close(descriptor)
    }

    /// A sentence where a log lies beside a file that is not there, or is empty; `nil` where none does.
    ///
    /// - Parameter path: The file.
    /// - Returns: The sentence, with the mend.
    static func strayLog(of path: String) -> String? {
        guard size(of: path) == 0, size(of: log(of: path)) > 0 else { return nil }
        // Whoever makes the file makes it before the log: it may just have come to be.
        guard size(of: path) == 0 else { return nil }
        let state = FileIdentity(of: path) == nil ? "not there" : "empty"
        return "\(path) is \(state), though its log \(log(of: path)) is there with records in it; put "
            + "the file back beside its log, or move the log away to begin a new ledger"
    }

    /// Deletes a file, with what is beside it, in which there is nothing: no table in the file, and nothing in its log.
    ///
    /// SQLite is not asked: on a full disk it cannot tell.
    ///
    /// - Parameter path: The file.
    static func deleteIfNothingIsIn(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // The table of all tables begins there (https://www.sqlite.org/fileformat.html, 1.6): a leaf (13), and its rows.
        var start = [UInt8](repeating: 0, count: 105)
        let length = pread(descriptor, &start, start.count, 0)
        let hasNoTable = length == 0 || length == start.count && start[100] == 13 && start[103] == 0 && start[104] == 0
        guard hasNoTable, size(of: log(of: path)) == 0 else { return }
        for file in [log(of: path), path + "-shm", path] { unlink(file) }
    }

    private static func log(of path: String) -> String { path + "-wal" }

    /// The size of a file in bytes; 0 when there is none.
    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
