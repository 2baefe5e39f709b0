import Foundation
import Glibc
import Storage
import SubscriptionKeys

/// The signs of a lost ledger, against a new one: the keys that were made beside it, and the rest of its files.
extension LedgerKeyFiles {
    private var areKeysMade: Bool {
        let made = [
            settings.digestKeyFile == nil ? digestKey : nil, settings.checkpointKeyFile == nil ? checkpointKey : nil,
        ].compactMap(\.self)
        return made.contains(where: FileManager.default.fileExists)
    }

    /// A sentence where a ledger seems to be lost: the keys that were made beside it are there, and nothing of it is.
    ///
    /// A directory that is not mounted or a file that was moved would otherwise begin a new ledger without a word.
    var lossWarning: String? {
        guard case .sqlite(let path) = settings.location, isLedgerNew, areKeysMade else { return nil }
        return "ledger.url: \(Echo.path(path)) is not there, though its keys are; a new ledger counts nothing that was "
            + "signed before: if it was moved or lost, stop the service and restore it from a backup"
    }

    /// The log's line about a ledger that this process has just made; `nil` in PostgreSQL.
    func beginning(areKeysOlder: Bool) -> String? {
        guard case .sqlite(let path) = settings.location else { return nil }
        let loss =
            "; its keys are older: if there was a ledger before, stop the service, restore that from a backup, and check it "
            + "with `offer-signer ledger verify --anchor FILE`"
        return "a new ledger was made, \(Echo.path(path))\(areKeysOlder ? loss : "")"
    }

    /// Beside the ledger, or where the settings name it.
    var isAnyKeyThere: Bool { [digestKey, checkpointKey].contains(where: FileManager.default.fileExists) }

    /// Refuses the rest of an SQLite ledger: its log without its file, or its file without its log, in which there is
    /// no ledger though the keys that were made beside it are there.
    func checkRemains() throws(ValueFault) {
        guard case .sqlite(let path) = settings.location else { return }
        if let fault = SQLiteFiles.orphanedLog(of: path) { throw ValueFault(fault) }
        guard !isLedgerNew, areKeysMade, !waitFor({ SQLiteDatabase.hasTables(at: path) != false }) else { return }
        throw ValueFault(
            "\(Echo.path(path)) has no ledger in it, though its keys are there: what was signed may have been in "
                + "\(Echo.path(path + "-wal")); restore the file from a backup, or delete it to begin a new ledger, which "
                + "counts nothing that was signed before"
        )
    }

    /// Refuses to begin a ledger in the place of one that seems to be lost: that is for the service to do, which warns of
    /// it, and not for a command.
    func checkIsNotLost() throws(ValueFault) {
        try checkRemains()
        guard case .sqlite(let path) = settings.location, !waitFor({ lossWarning == nil }) else { return }
        throw ValueFault(
            "\(Echo.path(path)) is not there, though its keys are; put it back or restore it from a backup, or start the "
                + "service to begin a new ledger, which counts nothing that was signed before"
        )
    }

    /// Whether something is so before long: a starting process makes its keys, its file and its tables one after the
    /// other, and another process may just be at it.
    private func waitFor(_ condition: () -> Bool) -> Bool {
        for _ in 0..<20 {
            if condition() { return true }
            usleep(100_000)
        }
        return condition()
    }
}

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
