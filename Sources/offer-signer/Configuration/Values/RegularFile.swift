import Foundation

/// Questions about a file that leave its content alone.
enum RegularFile {
    /// Looks whether a path leads to a regular file, through symbolic links, as secrets are mounted.
    ///
    /// - Parameter path: The path.
    /// - Returns: The file's size in bytes.
    /// - Throws: ``ValueFault`` saying why there is none: `no such file`, `is a directory`, ….
    static func size(of path: String) throws(ValueFault) -> Int {
        guard let resolved = realpath(path, nil) else {
            let code = errno
            throw ValueFault(code == ENOENT ? "no such file" : "cannot be reached: \(String(cString: strerror(code)))")
        }
        defer { free(resolved) }
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: String(cString: resolved))
        } catch {
            throw ValueFault("cannot be reached: \(error.reason)")
        }
        switch attributes[.type] as? FileAttributeType {
        case .typeRegular: return (attributes[.size] as? NSNumber)?.intValue ?? 0
        case .typeDirectory: throw ValueFault("is a directory; a file is needed")
        default: throw ValueFault("is no regular file")
        }
    }

    /// Whether this process may read the file.
    ///
    /// - Parameter path: The path.
    /// - Returns: `false` when the file's permissions forbid it.
    static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }
}
