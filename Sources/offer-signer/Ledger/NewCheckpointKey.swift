import Foundation
import Glibc
import Storage
import SubscriptionKeys

/// The key that takes the place of a ledger's checkpoint key, by its file.
struct NewCheckpointKey {
    let path: String
    private let files: LedgerKeyFiles
    /// Whether it is made here, for a key that was made beside the ledger.
    private let isMade: Bool

    init(_ files: LedgerKeyFiles, path: String?) {
        self.files = files
        self.path = path ?? files.checkpointKey + ".new"
        isMade = path == nil
    }

    /// The key that a run before has made, or that is named; `nil` where there is none.
    func known() throws(ValueFault) -> SigningKey? {
        guard !isMade || FileManager.default.fileExists(atPath: path) else { return nil }
        return try files.loadCheckpointKey(at: path)
    }

    /// The key for a ledger that has the old one still: it is on the disk before the ledger knows it.
    func make() throws(ValueFault) -> SigningKey {
        guard isMade else { return try files.loadCheckpointKey(at: path) }
        // One of a run that was interrupted before it has changed the ledger: nothing is signed by it.
        unlink(path)
        do throws(KeyError) {
            try NewKeyFile.write(to: path)
        } catch {
            throw ValueFault("the ledger's new checkpoint key: \(error)")
        }
        do {
            let old = URL(filePath: files.checkpointKey).resolvingSymlinksInPath().path
            let kept: [FileAttributeKey] = geteuid() == 0 ? [.ownerAccountID, .groupOwnerAccountID] : []
            let attributes = try FileManager.default.attributesOfItem(atPath: old).filter { attribute, _ in
                (kept + [.posixPermissions]).contains(attribute)
            }
            try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
        } catch {
            throw fault("cannot get the owner and the mode of the old one")
        }
        try syncDirectory()
        return try files.loadCheckpointKey(at: path)
    }

    /// Puts a key that was made here in the place of the old one, in one step.
    func putInPlace() throws(ValueFault) {
        guard isMade, FileManager.default.fileExists(atPath: path) else { return }
        guard rename(path, files.checkpointKey) == 0 else {
            throw fault("is the ledger's, and cannot be put in the place of the old one; run the command once more")
        }
        try syncDirectory()
    }

    private func syncDirectory() throws(ValueFault) {
        let directory = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw fault("may not be on the disk") }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw fault("may not be on the disk") }
    }

    private func fault(_ what: String) -> ValueFault {
        ValueFault("the ledger's new checkpoint key \(Echo.path(path)) \(what): \(String(cString: strerror(errno)))")
    }
}
