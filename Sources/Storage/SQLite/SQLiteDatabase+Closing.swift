import CSQLite
import GRDB

extension SQLiteDatabase {
    /// Brings what is in the log into the file, as far as other processes let it, and closes the file: where nobody else
    /// has it open, the file alone has everything then.
    ///
    /// Where the file or its log was moved, replaced or cut short, both are left as they are, to be put back. Whoever
    /// reads or writes afterwards fails.
    public func close() {
        guard access != .readOnly else {
            try? pool.close()
            return
        }
        checkpoints.stop()
        guard files.mayBecomeOne, mayCheckpoint() else {
            // SQLite would do it by itself, when the last connection is closed.
            pool.writeWithoutTransaction { database in
                if let connection = database.sqliteConnection { csqlite_keep_log(connection) }
            }
            return
        }
        try? pool.close()
        // The pool's own last connection is one that reads, and may delete no log.
        checkpoints.checkpointAndClose()
    }

    /// Brings what is in the log into the file; whether that can go on: not where the log was cut short.
    private func mayCheckpoint() -> Bool {
        do {
            try pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
            return true
        } catch {
            // Another process is at it.
            return (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
        }
    }
}
