import CSQLite

/// When the log (WAL) may be begun anew.
///
/// SQLite 3.7.0 to 3.51.2 can corrupt a file where one connection brings the log into the file in the same instant in which
/// a commit of another begins the log anew (https://www.sqlite.org/wal.html, "The WAL-reset bug"). So each of the
/// two keeps the other from beginning, in any process: by SQLite's own locks, which everybody respects
/// (https://www.sqlite.org/walformat.html, 2.3).
extension SQLiteConnection {
    /// The locks of the log's index, by their number.
    private enum IndexLock: Int32 {
        /// Held by who brings the log into the file.
        case copying = 1
        /// Held by those who read the file alone, as all of the log is in it.
        case readingFile = 3
    }

    /// Keeps everybody from bringing the log into the file, where the transaction may begin it anew; `false` where somebody
    /// is doing so.
    ///
    /// To be called within a transaction that holds the lock to write. If a part of the log is not in the file then,
    /// there was one when the transaction began, and what it writes is added to the log.
    func lockOutCopiers() -> Bool {
        guard let file, csqlite_log_is_copied(file) != 0 else { return true }
        guard lock(.copying, of: file) else { return false }
        keepsCopiersOut = true
        return true
    }

    /// To be called when the transaction has ended.
    func letCopiersIn() {
        guard keepsCopiersOut, let file else { return }
        unlock(.copying, of: file)
        keepsCopiersOut = false
    }

    /// Whether anybody reads the file alone: such a reader keeps nobody from beginning the log anew.
    var isFileReadAlone: Bool {
        guard let file, lock(.readingFile, of: file) else { return true }
        unlock(.readingFile, of: file)
        return false
    }

    /// Syncs the database's file, through SQLite: a descriptor of our own would release its locks when it is closed.
    func syncFile() {
        guard let file else { return }
        _ = file.pointee.pMethods.pointee.xSync(file, SQLITE_SYNC_NORMAL)
    }

    private var file: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            file?.pointee.pMethods != nil
        else { return nil }
        return file
    }

    private func lock(_ lock: IndexLock, of file: UnsafeMutablePointer<sqlite3_file>) -> Bool {
        let kind = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
        return file.pointee.pMethods.pointee.xShmLock(file, lock.rawValue, 1, kind) == SQLITE_OK
    }

    private func unlock(_ lock: IndexLock, of file: UnsafeMutablePointer<sqlite3_file>) {
        _ = file.pointee.pMethods.pointee.xShmLock(file, lock.rawValue, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
    }
}
