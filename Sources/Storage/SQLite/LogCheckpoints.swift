import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Brings the pages of an SQLite file's log (WAL) into the file, mostly beside whoever commits.
///
/// Left alone, SQLite does it within the commit that makes the log a thousand pages long: whoever waits for that commit
/// waits for all the pages and for two more syncs, under load many times a second. Here it is done for more pages at once,
/// as many commits change the same ones, and by a connection of its own while commits go on. What these write meanwhile is
/// little: the next commit brings that, and the log is written from its beginning again, so that it stays as long as it is.
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
        /// The file is being closed.
        case stopped
    }

    private enum Due {
        case nothing
        case beside
        case here
    }

    /// How many pages the log has then.
    private let pages: Int
    private let pageSize: Int
    private let path: String
    /// How many pages the log had after the last commit.
    private let pagesNow = Atomic(0)
    private let progress = Mutex(Progress.resting)
    private let connection = Mutex<DatabaseQueue?>(nil)
    private let queue = DispatchQueue(label: "sqlite.checkpoints")

    /// Does nothing until a connection is watched.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - pageSize: Of what size the file's pages are, in bytes.
    init(path: String, pageSize: Int) {
        self.path = path
        self.pageSize = pageSize
        pages = Self.length / pageSize
    }

    /// That the log grows without an end, in a sentence; `nil` as long as it does not.
    ///
    /// Commits alone never make it so long: nothing can be brought into the file, or another process still reads what was.
    var warning: String? {
        let now = pagesNow.load(ordering: .relaxed)
        guard now >= 4 * pages else { return nil }
        return
            "\(path)-wal is \((now * pageSize) >> 20) MB long and grows until the disk is full: another process "
            + "reads \(path) in one long transaction (fuser lists it, beside the service), or the file cannot be written "
            + "(see to its disk)"
    }

    /// Takes the place of SQLite's own checkpoints.
    ///
    /// - Parameter database: The connection that commits. This object has to be there as long as it is open.
    func watch(_ database: Database) {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, connection, _, pages in
                // Unretained: the owner of the connection owns this too.
                if let context, let connection {
                    let checkpoints = Unmanaged<LogCheckpoints>.fromOpaque(context).takeUnretainedValue()
                    checkpoints.pagesNow.store(Int(pages), ordering: .relaxed)
                    if Int(pages) >= checkpoints.pages { checkpoints.logIsLong(Int(pages), connection) }
                }
                // The commit has succeeded whatever becomes of the checkpoint: the next one is tried with the next commit.
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// After a commit that left the log long.
    private func logIsLong(_ pages: Int, _ writer: OpaquePointer) {
        let due: Due = progress.withLock { progress in
            switch progress {
            case .resting:
                progress = .asked
                return .beside
            case .asked where pages < 2 * self.pages, .beside, .stopped:
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
        // As SQLite's own hook does it.
        case .here: sqlite3_wal_checkpoint_v2(writer, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
    }

    /// Where it fails, the next commit does all of it.
    private func checkpointBeside() {
        let isDue = progress.withLock { progress in
            guard progress == .asked else { return false }
            progress = .beside
            return true
        }
        guard isDue else { return }
        defer { progress.withLock { if $0 == .beside { $0 = .ending } } }
        connection.withLock { checkpoint(by: &$0) }
    }

    /// Does no more; when this returns, none is under way.
    func stop() {
        progress.withLock { $0 = .stopped }
        connection.withLock { _ in }
    }

    /// Does the last one, when no other connection of this process is open any more: where no other process has one
    /// either, SQLite deletes the log then.
    func checkpointAndClose() {
        connection.withLock { connection in
            checkpoint(by: &connection)
            try? connection?.close()
            connection = nil
        }
    }

    private func checkpoint(by connection: inout DatabaseQueue?) {
        if connection == nil {
            var configuration = Configuration()
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            connection = try? DatabaseQueue(path: path, configuration: configuration)
        }
        _ = try? connection?.inDatabase { try $0.checkpoint(.passive) }
    }
}
