import CSQLite
import Dispatch
import Glibc
import Synchronization

/// Brings the pages of an SQLite file's log (WAL) into the file, mostly beside commits.
///
/// Left alone, SQLite does it within the commit that makes the log a thousand pages long: a caller of that commit
/// waits for all the pages and for two more syncs, under load many times a second. Here it is done for more pages at once,
/// as many commits change the same ones, and by a connection of its own while commits go on. What these write meanwhile is
/// little: the next commit brings that, and the log is written from its beginning again, so that it stays as long as it is.
/// While it is brought in, a reader of the log keeps every commit, of any process, from beginning it anew.
final class LogCheckpoints: Sendable {
    /// How long the log is when its pages are brought into the file, in bytes.
    static let length = 16 << 20

    private enum Progress {
        case resting
        /// The other connection is asked to bring what there is.
        case asked
        /// It does so.
        case beside
        /// It has: the next commit brings the rest.
        case ending
        case stopped
    }

    private enum Due {
        case nothing
        case beside
        case here
    }

    /// The connections that bring the log into the file.
    private struct Copying {
        let copier: SQLiteConnection
        /// Reads the log meanwhile.
        let reader: SQLiteConnection
    }

    /// The sizes of the log's header, and of the one before each page (https://www.sqlite.org/fileformat2.html, 4.1 and 4.2).
    private static let (headerSize, pageHeaderSize) = (32, 24)

    private let path: String
    private let pageSize: Int
    /// How many pages a long log has.
    private let longLog: Int
    /// How many pages the log had after the last commit of this process.
    private let pagesNow = Atomic(0)
    /// The salt in the log's header: another number each time that the log is begun.
    private let beginning = Mutex<[UInt8]>([])
    private let progress = Mutex(Progress.resting)
    private let copying = Mutex<Copying?>(nil)
    private let queue = DispatchQueue(label: "sqlite.checkpoints")

    /// Does nothing until a connection is watched; pages have so many bytes.
    init(path: String, pageSize: Int) {
        self.path = path
        self.pageSize = pageSize
        longLog = Self.length / pageSize
    }

    /// A sentence that warns that the log grows without an end; `nil` as long as it does not.
    ///
    /// Commits alone never make it so long: nothing can be brought into the file, or another process still reads what was.
    var warning: String? {
        let now = pagesNow.load(ordering: .relaxed)
        guard now >= 4 * longLog else { return nil }
        return
            "\(path)-wal is \((now * pageSize) >> 20) MB long and grows until the disk is full: another process "
            + "reads \(path) in one long transaction (fuser lists it, beside the service), or the file cannot be written "
            + "(see to its disk)"
    }

    /// Whether the log lacks pages that this process wrote to it, by its length: somebody cut it short.
    ///
    /// What somebody else begins again is shorter, too, and whole: SQLite gives it another beginning, or no byte at all.
    func isCutShort(_ size: Int) -> Bool {
        let pages = pagesNow.load(ordering: .relaxed)
        guard pages > 0, size < Self.headerSize + pages * (pageSize + Self.pageHeaderSize) else { return false }
        guard size > 0 else {
            // Where SQLite emptied the log, there is no frame to read.
            do throws(SQLiteConnection.Failure) {
                return try copy() & 0xFF == SQLITE_IOERR
            } catch {
                return error.primary == SQLITE_IOERR
            }
        }
        return readBeginning() == beginning.withLock { $0 }
    }

    private func readBeginning() -> [UInt8] {
        let descriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { Glibc.close(descriptor) }
        var salt = [UInt8](repeating: 0, count: 8)
        return pread(descriptor, &salt, salt.count, 16) == salt.count ? salt : []
    }

    private func record(_ pages: Int) {
        if pages <= pagesNow.exchange(pages, ordering: .relaxed) || beginning.withLock(\.isEmpty) {
            let salt = readBeginning()
            beginning.withLock { $0 = salt }
        }
    }

    /// Takes the place of SQLite's own checkpoints.
    func watch(_ database: SQLiteConnection) {
        sqlite3_wal_hook(
            database.handle,
            { context, _, _, pages in
                // Unretained: the owner of the connection owns this too.
                if let context {
                    let checkpoints = Unmanaged<LogCheckpoints>.fromOpaque(context).takeUnretainedValue()
                    checkpoints.record(Int(pages))
                    if Int(pages) >= checkpoints.longLog { checkpoints.logIsLong(Int(pages)) }
                }
                // The commit has succeeded whatever becomes of the checkpoint: the next one is tried with the next commit.
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// After a commit that left the log long.
    private func logIsLong(_ pages: Int) {
        let due: Due = progress.withLock { progress in
            switch progress {
            case .resting:
                progress = .asked
                return .beside
            case .asked where pages < 2 * longLog, .beside, .stopped:
                return .nothing
            // In the first case no thread has been free for it: the log stays short all the same.
            case .asked, .ending:
                progress = .resting
                return .here
            }
        }
        switch due {
        case .nothing: break
        case .beside: queue.async { self.checkpointBeside() }
        case .here: _ = try? copy()
        }
    }

    /// After a failure the next commit does all of it.
    private func checkpointBeside() {
        let isDue = progress.withLock { progress in
            guard progress == .asked else { return false }
            progress = .beside
            return true
        }
        guard isDue else { return }
        defer { progress.withLock { if $0 == .beside { $0 = .ending } } }
        // SQLite syncs the file in the checkpoint alone that catches up with all commits, which is the one within a
        // commit. Here the scattered pages are synced beside commits, the second time those that came meanwhile.
        for _ in 0..<2 {
            guard (try? copy()) != nil else { return }
            copying.withLock { $0?.copier.syncFile() }
        }
    }

    /// Does no more; when this returns, none is under way.
    func stop() {
        progress.withLock { $0 = .stopped }
        queue.sync {}
    }

    /// Closes the connections that did them.
    func close() {
        copying.withLock { $0 = nil }
    }

    /// Brings what is in the log into the file, as far as readers let it, and gives SQLite's result.
    private func copy() throws(SQLiteConnection.Failure) -> Int32 {
        try whileLogStays { copier in
            sqlite3_wal_checkpoint_v2(copier.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        } ?? SQLITE_OK
    }

    /// Does something while no commit, of any process, can begin the log anew; `nil` where all of the log is in the file,
    /// or another reader keeps anything from being brought there.
    func whileLogStays<Value: Sendable>(
        _ body: (SQLiteConnection) -> Value
    ) throws(SQLiteConnection.Failure) -> Value? {
        try copying.withLock { copying throws(SQLiteConnection.Failure) in
            let (copier, reader) = try connections(&copying)
            try reader.run("BEGIN")
            defer { _ = try? reader.run("COMMIT") }
            try reader.run(Self.look)
            guard !copier.isFileReadAlone else { return nil }
            return body(copier)
        }
    }

    private func connections(_ copying: inout Copying?) throws(SQLiteConnection.Failure) -> (
        SQLiteConnection, SQLiteConnection
    ) {
        if let copying { return (copying.copier, copying.reader) }
        let timeout = SQLiteDatabase.busyTimeoutSeconds
        let copier = try SQLiteConnection(path, isReadOnly: false, busyTimeoutSeconds: timeout)
        try copier.run("PRAGMA synchronous = FULL")
        // Before, it knows nothing of the log.
        try copier.run(Self.look)
        let reader = try SQLiteConnection(path, isReadOnly: true, busyTimeoutSeconds: timeout)
        copying = Copying(copier: copier, reader: reader)
        return (copier, reader)
    }

    private static let look = "SELECT 1 FROM sqlite_master LIMIT 1"
}
