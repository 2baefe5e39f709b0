import Foundation
import Glibc
import Storage
import SubscriptionKeys

/// An occasion to look for faults of a ledger's files.
enum LedgerFileCheck {
    case beforeStart, atStart
}

/// The two keys of a ledger, by their files.
///
/// Beside a new SQLite ledger they are made at its first start, for their owner alone. They are never overwritten, and
/// never made for a ledger that is there already: with another digest key no limit would count what was signed before,
/// and with another checkpoint key nothing could be verified.
struct LedgerKeyFiles {
    let digestKey: String
    /// A P8.
    let checkpointKey: String

    let settings: LedgerSettings
    /// Whether the service is for this machine alone.
    private let isLoopback: Bool
    let digestKeyAccess: FileAccess
    let checkpointKeyAccess: FileAccess

    init(_ settings: Settings) {
        self.init(
            settings.ledger,
            isGroupReadable: settings.keysGroupReadable,
            isLoopback: settings.listeners.server.isLoopback
        )
    }

    init(_ settings: LedgerSettings, isGroupReadable: Bool, isLoopback: Bool) {
        func access(_ file: LedgerKeyFile?) -> FileAccess {
            isGroupReadable || file?.isCredential == true ? .groupReadable : .ownerOnly
        }
        var base = ""
        if case .sqlite(let path) = settings.location { base = path }
        self.settings = settings
        self.isLoopback = isLoopback
        digestKey = settings.digestKeyFile?.path ?? base + ".digest-key"
        checkpointKey = settings.checkpointKeyFile?.path ?? base + ".checkpoint-key.p8"
        digestKeyAccess = access(settings.digestKeyFile)
        checkpointKeyAccess = access(settings.checkpointKeyFile)
    }

    /// Whether the first start will make the ledger: it is an SQLite file that is not there.
    var isLedgerNew: Bool {
        guard case .sqlite(let path) = settings.location else { return false }
        return !FileManager.default.fileExists(atPath: path)
    }

    /// Refuses an SQLite ledger that no service has made yet.
    func checkLedgerIsThere() throws(ValueFault) {
        try checkRemains()
        guard isLedgerNew, case .sqlite(let path) = settings.location else { return }
        let fix =
            settings.origin == .none
            ? "neither ledger.url nor STATE_DIRECTORY is set: set STATE_DIRECTORY as systemd or the image does for the "
                + "service, or name its ledger with --ledger-url"
            : "name the one that the service writes, with --ledger-url"
        throw ValueFault(
            "there is no ledger where the configuration has it, \(Echo.path(path)); the service's first start makes an SQLite "
                + "ledger and its tables; \(fix)"
        )
    }

    /// Makes the missing keys of a new ledger.
    func makeForNewLedger() throws(ValueFault) {
        // Before the keys: they would be of no ledger.
        try checkRemains()
        guard isLedgerNew else { return }
        if settings.digestKeyFile == nil, !FileManager.default.fileExists(atPath: digestKey) {
            try Self.write(Self.randomBytes(), to: digestKey)
        }
        if settings.checkpointKeyFile == nil, !FileManager.default.fileExists(atPath: checkpointKey) {
            do throws(KeyError) {
                try NewKeyFile.write(to: checkpointKey)
            } catch {
                throw ValueFault("the ledger's checkpoint key: \(error)")
            }
        }
    }

    /// Looks for faults of the files, the ledger itself too; a new ledger needs only the keys that its settings name, and
    /// takes those beside it.
    ///
    /// `$STATE_DIRECTORY` is made by systemd before a start, not before `check`. What has its fault already is not read, and
    /// a private key only where there is memory for it.
    func check(isStarting: Bool, hasKeyMemory: Bool, _ values: SettingLayers, _ faults: FaultCollector) {
        func check<Value>(_ key: SettingLayers.Key<Value>, _ work: () throws(ValueFault) -> Void) {
            guard !faults.hasFault(at: values.place(key)) else { return }
            do throws(ValueFault) { try work() } catch { faults.fault(values.fault(of: key, error.message)) }
        }
        check(\.ledgerURL) { () throws(ValueFault) in
            if isStarting || !awaitsDirectory { try checkLedger() }
        }
        let files = FileManager.default
        if !isLedgerNew || settings.digestKeyFile != nil || files.fileExists(atPath: digestKey) {
            check(\.ledgerDigestKeyFile) { () throws(ValueFault) in _ = try readDigestKey() }
        }
        guard hasKeyMemory else { return }
        if !isLedgerNew || settings.checkpointKeyFile != nil || files.fileExists(atPath: checkpointKey) {
            check(\.ledgerCheckpointKeyFile) { () throws(ValueFault) in _ = try loadCheckpointKey() }
        }
    }

    /// Whether the directory of the ledger is one that systemd makes, and has not made yet.
    var awaitsDirectory: Bool {
        guard settings.origin == .stateDirectory, case .sqlite(let path) = settings.location else { return false }
        return !FileManager.default.fileExists(atPath: Self.directory(of: path))
    }

    /// Whether an SQLite file is one, or can be made where it should be, and whether libpq may be asked.
    private func checkLedger() throws(ValueFault) {
        guard case .sqlite(let path) = settings.location else {
            if let fault = LedgerDatabase.environmentFault { throw ValueFault(fault) }
            return
        }
        let shown = Echo.path(path)
        try checkRemains()
        guard !isLedgerNew else {
            var isDirectory: ObjCBool = false
            let directory = Self.directory(of: path)
            guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue
            else {
                throw ValueFault(
                    "\(shown) is in a directory that does not exist; make it, writable for the service's "
                        + "user"
                )
            }
            if let fault = SQLiteFiles.exposure(of: path) { throw ValueFault(fault) }
            return try checkIsWritable(directory)
        }
        do throws(ValueFault) {
            _ = try RegularFile.size(of: path)
        } catch {
            throw ValueFault("\(shown): \(error.message)")
        }
        // The first bytes of every SQLite file (https://www.sqlite.org/fileformat.html, 1.3); an empty one is filled.
        let start = FileHandle(forReadingAtPath: path).flatMap { try? $0.read(upToCount: 16) }
        guard start.map({ $0.isEmpty || $0 == Data("SQLite format 3\0".utf8) }) ?? true else {
            throw ValueFault("\(shown) is no SQLite database; name another file, or restore this one from a backup")
        }
        if let fault = SQLiteFiles.exposure(of: path) { throw ValueFault(fault) }
        try checkIsWritable(path)
    }

    private func checkIsWritable(_ path: String) throws(ValueFault) {
        guard access(path, R_OK | W_OK) != 0 else { return }
        let reason = String(cString: strerror(errno))
        let environment = settings.origin == .none ? ", and set STATE_DIRECTORY as systemd or the image does" : ""
        let fix = SQLiteFiles.ownerFix(of: path) ?? "check as the service's user\(environment)"
        throw ValueFault("\(Echo.path(path)) is not writable for this user: \(reason); \(fix)")
    }

    func readDigestKey() throws(ValueFault) -> DigestKey {
        let shown = Echo.path(digestKey)
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: digestKey))
        } catch {
            let isForbidden = access(digestKey, R_OK) != 0 && errno == EACCES
            let isThere = isForbidden || FileManager.default.fileExists(atPath: digestKey)
            let fix =
                isForbidden
                ? "the service's user has to be able to read it: \(permission(digestKey, digestKeyAccess))"
                : "restore it from a backup: with another key the limits would not count what was signed before"
            throw ValueFault(
                "the ledger's digest key \(shown) \(isThere ? "cannot be read: \(error.reason)" : "is not there"); \(fix)"
            )
        }
        do throws(ValueFault) {
            try RegularFile.checkIsPrivate(
                digestKey,
                isGroupReadable: digestKeyAccess == .groupReadable,
                owner: settings.digestKeyFile == nil ? servicesUser : nil
            )
        } catch {
            throw ValueFault("the ledger's digest key \(shown) \(error.message)")
        }
        guard !Echo.holdsKey(String(decoding: data, as: UTF8.self)) else {
            throw ValueFault(
                "the ledger's digest key \(shown) is a private key in PEM; it takes random bytes, such as "
                    + "`openssl rand -out digest-key 32` writes"
            )
        }
        guard let key = DigestKey(bytes: Array(data)) else {
            let fix = isLedgerNew ? "; if a first start was interrupted, delete it: the next start makes a new one" : ""
            throw ValueFault("the ledger's digest key \(shown) has fewer than \(DigestKey.minimumBytes) bytes\(fix)")
        }
        return key
    }

    func loadCheckpointKey() throws(ValueFault) -> SigningKey { try loadCheckpointKey(at: checkpointKey) }

    func loadCheckpointKey(at path: String) throws(ValueFault) -> SigningKey {
        let key: SigningKey
        do throws(KeyError) {
            key = try SigningKey(
                contentsOf: path,
                keyIdentifier: "ledger",
                access: checkpointKeyAccess,
                owner: settings.checkpointKeyFile == nil ? servicesUser : nil,
                isAppStoreKey: false
            )
        } catch {
            let isNew = path != checkpointKey
            let fix =
                switch error.code {
                case .missing: isNew ? "" : "; restore it from a backup: the checkpoints are signed by it"
                case .unreadable: ": \(permission(path, checkpointKeyAccess))"
                default: ""
                }
            let found = Echo.repeats(path: path) ? "\(error)" : "\(Echo.path(path)) is not the path of a key file"
            throw ValueFault("the ledger's \(isNew ? "new " : "")checkpoint key: \(found)\(fix)")
        }
        guard isLoopback || key.publicKeySHA256 != DemoCredentials.publicKeySHA256 else {
            throw ValueFault(
                "the ledger's checkpoint key: \(Echo.path(path)) is the demo key, which everyone has, so "
                    + "anybody could forge the ledger; it is for loopback addresses only"
            )
        }
        return key
    }

    private static func directory(of path: String) -> String {
        URL(filePath: path).deletingLastPathComponent().path
    }

    private static func randomBytes() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<DigestKey.minimumBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(ValueFault) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw fault(path, errno) }
        let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        let number = errno
        close(descriptor)
        guard isWritten else {
            unlink(path)
            throw fault(path, number)
        }
    }

    private static func fault(_ path: String, _ number: Int32) -> ValueFault {
        ValueFault(
            "the ledger's digest key \(Echo.path(path)) cannot be made: \(String(cString: strerror(number))); the "
                + "ledger's directory has to be writable for the service's user, and its file system to have room"
        )
    }
}
