import Glibc
import Offers
import Synchronization

/// The identity of the file that a path leads to: two paths to one file have the same.
struct FileIdentity: Equatable {
    private let device: UInt
    private let number: UInt
    /// By how many names it is there.
    let links: Int
    /// Whether every user of the machine may write it.
    let isOpenToAll: Bool
    /// How long the file was when it was looked at, in bytes.
    let size: Int

    /// Looks at a file; `nil` when there is none.
    ///
    /// A link is followed.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
        links = Int(status.st_nlink)
        isOpenToAll = status.st_mode & S_IWOTH != 0
        size = Int(status.st_size)
    }

    /// Equal for one and the same file, however long it is by now.
    static func == (left: FileIdentity, right: FileIdentity) -> Bool {
        left.device == right.device && left.number == right.number
    }
}

/// The files of a database that is in use: the one that its path names, its log (`-wal`), with the newest of what was
/// written, and the log's index (`-shm`), by which all processes that use the file know of each other.
///
/// While a connection is open nobody has a right to move, replace or delete any: SQLite itself deletes the log and its
/// index when the last connection is closed, and not before.
package struct SQLiteFiles: Sendable {
    let path: String

    /// The path of its log; kept, as each commit looks for it.
    private let logPath: String
    private let indexPath: String
    private let file: FileIdentity?
    private let log: FileIdentity?
    private let index: FileIdentity?
    /// The longest that the file was seen.
    private let longest: Longest

    private final class Longest: Sendable {
        let bytes: Atomic<Int>

        init(_ bytes: Int) { self.bytes = Atomic(bytes) }
    }

    /// Looks which files they are, when the log has been opened.
    init(inUseAt path: String) {
        self.path = path
        logPath = Self.log(of: path)
        indexPath = Self.index(of: path)
        file = FileIdentity(of: path)
        longest = Longest(file?.size ?? 0)
        log = FileIdentity(of: logPath)
        index = FileIdentity(of: indexPath)
    }

    /// A sentence where any is not where it was: what is written to one that was moved or deleted is on no record; else `nil`.
    func fault(_ isCutShort: (_ size: Int) -> Bool) -> String? {
        let found = FileIdentity(of: path)
        guard found == file else {
            return
                "\(path) was moved, replaced or deleted while it was in use; put that file back, and all goes on; where it is "
                + "lost, stop the service, move what is left (\(logPath), \(indexPath)) away, restore the file from a backup, "
                + "and start the service again"
        }
        guard !isShortened(found) else {
            return
                "\(path) was emptied or cut short while it was in use, and records in it are lost; stop the service, move it and "
                + "what is left (\(logPath), \(indexPath)) away, restore the file from a backup, and start the service again; "
                + "after a VACUUM, only start it again"
        }
        if let fault = found.flatMap({ Self.exposure($0, path) }) { return fault }
        guard index == nil || FileIdentity(of: indexPath) == index else {
            return
                "\(indexPath) was moved, replaced or deleted while it was in use, and without it another process may write "
                + "\(path) at the same time; stop all that uses the ledger, and start it again; see what "
                + "`offer-signer ledger verify` says"
        }
        // Where none was seen, nothing can be said of it.
        guard let log else { return nil }
        guard let found = FileIdentity(of: logPath) else {
            return
                "\(logPath) was moved or deleted while it was in use, with the newest records in it; put it back, or stop the "
                + "service, which writes them into \(path) then, and start it again"
        }
        guard found == log else {
            return
                "\(logPath) was replaced while it was in use; put back the one that was there, which has the newest records "
                + "in it"
        }
        guard !isCutShort(found.size) else {
            return
                "\(logPath) lacks records that were written to it: it was cut short while it was in use; stop the service, "
                + "and restore the ledger from a backup where `offer-signer ledger verify` misses records"
        }
        return nil
    }

    /// Whether what is in the log may be brought into the file, and the log be deleted: the file is in its place, and so is
    /// the log with all that was written to it, or nothing is in the log's place that anybody has written to since.
    func mayBecomeOne(_ isCutShort: (_ size: Int) -> Bool) -> Bool {
        let found = FileIdentity(of: path)
        guard found == file, !isShortened(found) else { return false }
        guard index == nil || FileIdentity(of: indexPath) == index else { return false }
        guard let found = FileIdentity(of: logPath), found == log else { return Self.size(of: logPath) == 0 }
        return !isCutShort(found.size)
    }

    /// Whether the file is shorter than it was seen, as after logrotate's `copytruncate`: SQLite shortens it in a VACUUM alone.
    private func isShortened(_ found: FileIdentity?) -> Bool {
        guard let found, found == file else { return false }
        return longest.bytes.max(found.size, ordering: .relaxed).newValue > found.size
    }

    /// Makes the file with mode 0600 when it is not there; its log gets the mode of the file.
    ///
    /// Nothing is made, or opened, where a log lies beside a file that is not there or is empty: SQLite would take the log
    /// for one that was left behind, and delete it.
    static func prepare(_ path: String, isMade: Bool) throws(StorageFailure) {
        if let fault = orphanedLog(of: path) { throw StorageFailure(.cannotOpen, fault) }
        let descriptor = open(path, isMade ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw StorageFailure(
                .cannotOpen,
                "\(path) cannot be opened: \(reason)\(ownerFix(of: path).map { "; \($0)" } ?? "")"
            )
        }
        close(descriptor)
        if let fault = exposure(of: path) { throw StorageFailure(.cannotOpen, fault) }
    }

    /// A sentence where a ledger could be written past the service: by every user of the machine, or by another name of the
    /// file, which would have a log of its own; `nil` where it could not.
    package static func exposure(of path: String) -> String? {
        for file in [path, log(of: path), index(of: path)] {
            if let fault = FileIdentity(of: file).flatMap({ exposure($0, file) }) { return fault }
        }
        let name = resolved(path)
        let directory = name.lastIndex(of: "/").map { String(name[...$0]) } ?? "."
        var status = stat()
        guard stat(directory, &status) == 0, status.st_mode & (S_IWOTH | S_ISVTX) == S_IWOTH else { return nil }
        return
            "everybody may write to the directory of \(path), and so replace the ledger; run `chmod o-w \(directory)`"
    }

    private static func exposure(_ file: FileIdentity, _ path: String) -> String? {
        if file.links > 1 {
            return
                "\(path) has \(file.links) names (hard links), and a process that opens it by another one writes to a log of "
                + "its own; leave it one name: `find / -xdev -samefile \(path)` lists them"
        }
        return file.isOpenToAll ? "everybody may write \(path); run `chmod o-w \(path)`" : nil
    }

    /// A sentence where a log lies beside a file that is not there, or is empty; `nil` where none does.
    ///
    /// Nothing is opened there: SQLite would delete the log.
    package static func orphanedLog(of path: String) -> String? {
        guard size(of: path) == 0, size(of: log(of: path)) > 0 else { return nil }
        // The file is made before the log: it may just have been made.
        guard size(of: path) == 0 else { return nil }
        let state = FileIdentity(of: path) == nil ? "not there" : "empty"
        return "\(path) is \(state), though its log \(log(of: path)) is there with records in it; put "
            + "the file back beside its log; where the file is lost, move the log and \(index(of: path)) away, and restore the file "
            + "from a backup: without one, the next start begins a new ledger"
    }

    /// The owner that the files need, with the command that makes it so, where another user owns one of them, as root does after
    /// `sudo`; `nil` where nobody else does, and for root itself.
    package static func ownerFix(of path: String) -> String? {
        let user = geteuid()
        guard user != 0 else { return nil }
        let foreign = [path, log(of: path), index(of: path)].filter { file in
            var status = stat()
            return stat(file, &status) == 0 && status.st_uid != user
        }
        guard !foreign.isEmpty else { return nil }
        let name = getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
        return
            "another user owns \(foreign.joined(separator: ", ")); the owner must be \(name), the service's user: "
            + "stop all that uses it, and run `chown \(name) \(foreign.joined(separator: " "))` as root"
    }

    /// The file that a path leads to: its log and index are beside it, and not beside a link to it.
    static func resolved(_ path: String) -> String {
        guard let name = realpath(path, nil) else { return path }
        defer { free(name) }
        return String(cString: name)
    }

    private static func log(of path: String) -> String { resolved(path) + "-wal" }

    private static func index(of path: String) -> String { resolved(path) + "-shm" }

    /// The size of a file in bytes; 0 when there is none.
    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
