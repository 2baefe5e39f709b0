import Foundation

enum RegularFile {
    /// The size in bytes of a regular file, perhaps behind symbolic links, as secrets are mounted.
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
        default: throw ValueFault("is not a regular file")
        }
    }

    static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }
}

extension RegularFile {
    /// Checks that a private file belongs to root or this user, and that nobody else may read it: the rule for keys.
    static func checkIsPrivate(_ path: String, isGroupReadable: Bool, owner: UInt32? = nil) throws(ValueFault) {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved),
            let found = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value,
            let mode = (attributes[.posixPermissions] as? NSNumber)?.uint32Value
        else { throw ValueFault("cannot be examined") }
        guard found == 0 || found == geteuid() || found == owner else {
            let fix =
                if let owner, owner != 0 {
                    "it has to belong to root or to the service's user (\(owner)): chown \(owner)"
                } else if geteuid() == 0 {
                    "if that user is the service's, run this as that user (sudo -u), and if not, chown it to root"
                } else {
                    "chown it to root or this user"
                }
            throw ValueFault("belongs to user \(found), who could replace it: \(fix)")
        }
        guard mode & (isGroupReadable ? 0o037 : 0o077) == 0 else {
            let advice = isGroupReadable ? "440" : "600"
            throw ValueFault("has mode 0\(String(mode, radix: 8)), open to others: chmod \(advice)")
        }
    }
}

extension Error {
    /// Why a file could not be read or written, in the system's words: Foundation's have more of them, and say less.
    var reason: String {
        guard let code = ((self as? CocoaError)?.underlying as? POSIXError)?.code else { return localizedDescription }
        return String(cString: strerror(code.rawValue))
    }
}
