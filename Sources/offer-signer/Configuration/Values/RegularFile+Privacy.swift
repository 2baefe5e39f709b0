import Foundation

/// Who else may see or replace a private file.
extension RegularFile {
    /// Checks that a private file belongs to root or this user, and that nobody else may read it: the rule for keys.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - isGroupReadable: Whether its group may read it.
    /// - Throws: ``ValueFault`` saying what is open, and the mend.
    static func checkIsPrivate(_ path: String, isGroupReadable: Bool) throws(ValueFault) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ValueFault("cannot be examined: \(String(cString: strerror(errno)))")
        }
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw ValueFault("belongs to user \(status.st_uid), who could replace it: chown it to root or this user")
        }
        let mode = status.st_mode & 0o7777
        guard mode & (isGroupReadable ? 0o037 : 0o077) == 0 else {
            let advice = isGroupReadable ? "440" : "600"
            throw ValueFault("has mode 0\(String(mode, radix: 8)), open to others: chmod \(advice)")
        }
    }
}
