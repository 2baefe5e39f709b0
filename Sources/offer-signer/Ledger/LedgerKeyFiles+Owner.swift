import Foundation
import Glibc
import SubscriptionKeys

extension LedgerKeyFiles {
    /// The user that the service runs as, for root: the owner of an SQLite ledger, or of its directory where the ledger is
    /// not there, or is root's after a copy.
    ///
    /// The keys that were made beside it belong to the same.
    var servicesUser: UInt32? {
        guard geteuid() == 0, case .sqlite(let path) = settings.location else { return nil }
        let owners = [path, URL(filePath: path).deletingLastPathComponent().path].compactMap(Self.owner)
        return owners.first { $0 != 0 } ?? owners.first
    }

    /// A sentence where files beside an SQLite ledger belong to another user than the service's, as after a copy by root,
    /// who can read them all the same.
    var ownerWarning: String? {
        guard let user = servicesUser, user != 0, case .sqlite(let path) = settings.location else { return nil }
        var files = [path, path + "-wal", path + "-shm"]
        // The group's permission may be the service's.
        if digestKeyAccess == .ownerOnly, settings.digestKeyFile == nil { files.append(digestKey) }
        if checkpointKeyAccess == .ownerOnly, settings.checkpointKeyFile == nil { files.append(checkpointKey) }
        files = files.filter { file in Self.owner(of: file).map { $0 != user } ?? false }.map(Echo.file)
        guard !files.isEmpty else { return nil }
        let (name, names) = (Self.name(of: user), files.joined(separator: " "))
        return
            "ledger.url: the ledger's directory or file belongs to \(name), and \(names) to another user; a service that "
            + "runs as \(name) cannot use that: chown \(name) \(names)"
    }

    /// The commands after which the service's user can read a key file.
    func permission(_ file: String, _ access: FileAccess) -> String {
        let (name, file) = (Self.name(of: servicesUser ?? geteuid()), Echo.file(file))
        return "chown \(name) \(file) && chmod \(access.advisedMode) \(file)"
    }

    private static func owner(of path: String) -> UInt32? {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolved)
        return (attributes?[.ownerAccountID] as? NSNumber)?.uint32Value
    }

    private static func name(of user: UInt32) -> String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
    }
}
