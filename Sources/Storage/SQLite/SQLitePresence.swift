import Glibc
import Synchronization

/// A mark that this process has a file open for writing: a shared lock (`flock`), which the system releases when the
/// process ends.
///
/// A process that finds no other when it starts knows that all open chains of the ledger belong to processes that are gone.
final class SQLitePresence: Sendable {
    /// `F_OFD_SETLK` of Linux: the lock of an open file, not of a process, which SQLite's own would release.
    private static let setFileLock: Int32 = 37

    private let descriptor: Int32
    private let isAlone: Bool
    private let known = Mutex<Set<String>>([])

    /// Takes the lock; `nil` where the file system knows no such lock.
    init?(at path: String) {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        if !isAlone, flock(descriptor, LOCK_SH) != 0 { return nil }
    }

    // After the connections: to close any descriptor of a file takes away all of SQLite's locks on it.
    deinit { Glibc.close(descriptor) }

    /// The writers of open chains that were gone when this process started.
    var abandoned: Set<String> { known.withLock { $0 } }

    /// Whether this process is the first of those that asked; also where the file system knows no such lock.
    ///
    /// It locks a byte far behind the file's end, as SQLite never does.
    var leads: Bool {
        var range = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: .max - 1, l_len: 1, l_pid: 0)
        return fcntl(descriptor, Self.setFileLock, &range) == 0 || (errno != EAGAIN && errno != EACCES)
    }

    /// Takes the writers whose chains are open, and lets other processes come.
    func settle(writers: [String]) {
        guard isAlone else { return }
        known.withLock { $0 = Set(writers) }
        flock(descriptor, LOCK_SH)
    }
}

extension SQLiteDatabase {
    /// Whether another process has a file open to write to it, of which this process holds no lock; `false` where that cannot
    /// be known, too.
    package static func isWrittenByAnother(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
