import Glibc
import Synchronization

/// That this process has a file open to write to it: a lock (`flock`) that all of them share, and the system takes away
/// from those who are gone.
///
/// Who finds nobody else when it comes knows that all chains of the ledger that are open then are of the dead.
final class SQLitePresence: Sendable {
    private let descriptor: Int32
    private let isAlone: Bool
    private let known = Mutex<Set<String>>([])

    /// Comes; `nil` where the file system knows no such lock.
    init?(at path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        if !isAlone, flock(descriptor, LOCK_SH) != 0 { return nil }
    }

    // After the connections: to close any descriptor of a file takes away all of SQLite's locks on it.
    deinit { Glibc.close(descriptor) }

    /// The writers who were gone when this process came.
    var abandoned: Set<String> { known.withLock { $0 } }

    /// Lets others come.
    func settle(openChains writers: [String]) {
        guard isAlone else { return }
        known.withLock { $0 = Set(writers) }
        flock(descriptor, LOCK_SH)
    }
}
