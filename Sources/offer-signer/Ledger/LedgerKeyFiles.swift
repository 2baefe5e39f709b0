import Foundation
import Glibc
import Storage
import SubscriptionKeys

/// The two keys of a ledger, by their files.
///
/// Beside a new SQLite ledger they are made at its first start, for their owner alone. They are never overwritten, and
/// never made for a ledger that is there already: with another digest key no limit would count what was signed before,
/// and with another checkpoint key nothing could be verified.
struct LedgerKeyFiles {
    /// The key of the digests of accounts.
    let digestKey: String
    /// The key that signs checkpoints, a P8.
    let checkpointKey: String

    /// The files that a ledger's settings name, or those beside an SQLite ledger.
    ///
    /// - Parameter settings: The settings, with both keys for PostgreSQL.
    init(_ settings: LedgerSettings) {
        var base = ""
        if case .sqlite(let path) = settings.location { base = path }
        digestKey = settings.digestKeyFile ?? base + ".digest-key"
        checkpointKey = settings.checkpointKeyFile ?? base + ".checkpoint-key.p8"
    }

    /// Makes those that are not there, for a ledger that is not there either.
    ///
    /// - Parameter settings: The settings.
    /// - Throws: ``ValueFault`` when one cannot be made.
    func makeForNewLedger(_ settings: LedgerSettings) throws(ValueFault) {
        guard case .sqlite(let path) = settings.location, !FileManager.default.fileExists(atPath: path) else { return }
        if settings.digestKeyFile == nil, !FileManager.default.fileExists(atPath: digestKey) {
            try Self.write(Self.randomBytes(), to: digestKey)
        }
        if settings.checkpointKeyFile == nil, !FileManager.default.fileExists(atPath: checkpointKey) {
            do throws(KeyFileError) {
                try NewKeyFile.write(to: checkpointKey)
            } catch {
                throw ValueFault("the ledger's checkpoint key: \(error)")
            }
        }
    }

    /// Reads the digest key.
    ///
    /// - Parameter protection: How keys are kept.
    /// - Returns: The key.
    /// - Throws: ``ValueFault`` when it is not there, too short, or open to others.
    func readDigestKey(_ protection: KeyProtection) throws(ValueFault) -> DigestKey {
        let shown = Echo.path(digestKey)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: digestKey),
            let mode = attributes[.posixPermissions] as? Int, let data = try? Data(contentsOf: URL(filePath: digestKey))
        else {
            throw ValueFault(
                "the ledger's digest key \(shown) cannot be read; restore it from a backup: with another key the limits "
                    + "would not count what was signed before"
            )
        }
        let forbidden = protection.isGroupReadable ? 0o037 : 0o077
        guard mode & forbidden == 0 else {
            throw ValueFault("the ledger's digest key \(shown) is open to others; chmod 600 it")
        }
        guard let key = DigestKey(bytes: Array(data)) else {
            throw ValueFault("the ledger's digest key \(shown) has fewer than \(DigestKey.minimumBytes) bytes")
        }
        return key
    }

    /// Loads the checkpoint key.
    ///
    /// - Parameter protection: How keys are kept.
    /// - Returns: The key, in the secure heap.
    /// - Throws: ``ValueFault`` when it cannot be used.
    func loadCheckpointKey(_ protection: KeyProtection) throws(ValueFault) -> SigningKey {
        do throws(KeyFileError) {
            return try SigningKey(
                contentsOf: checkpointKey,
                keyIdentifier: "ledger",
                access: protection.isGroupReadable ? .groupReadable : .ownerOnly
            )
        } catch {
            let mend = error.code == .missing ? "; restore it from a backup: the checkpoints are signed by it" : ""
            throw ValueFault("the ledger's checkpoint key: \(error)\(mend)")
        }
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
                + "ledger's directory has to be writable for the service's user"
        )
    }
}
