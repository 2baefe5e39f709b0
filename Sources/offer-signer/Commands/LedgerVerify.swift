import ArgumentParser
import Crypto
import Storage
import SubscriptionKeys

/// `offer-signer ledger verify`: walks along the ledger, and names the first broken record.
struct LedgerVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks every record's hash and every checkpoint's signature; names the first broken record.",
        discussion: "Exit status 1 when anything is broken. The service may be running."
    )

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let settings = try options.load().settings
        let key = try options.orFail { () throws(ValueFault) in
            let files = LedgerKeyFiles(settings)
            try files.checkLedgerIsThere()
            return try files.loadCheckpointKey().publicKeySPKI
        }
        // Told first: by another key no checkpoint is in order, whatever the records are.
        let otherKey = otherKeyFault(settings, key)
        if let otherKey { Console.message("error: \(otherKey)") }
        let archive = try options.orFail { () throws(ValueFault) in try OpenLedger.archive(settings) }
        let found: LedgerVerification
        do {
            found = try Self.verify(archive, P256.Signing.PublicKey(derRepresentation: key))
        } catch {
            Console.message("error: \(error)")
            throw ExitCode.failure
        }
        for fault in found.faults { Console.message("broken: \(fault)") }
        try Console.result(
            "\(found.records) records in \(found.chains) chains, \(found.checkpoints) signed checkpoints, "
                + "\(found.uncovered) records after the last of their chain"
        )
        guard found.faults.isEmpty, otherKey == nil else { throw ExitCode.failure }
        try Console.result("The ledger is in order.")
    }

    /// A sentence where the ledger was written with another checkpoint key than this one, as far as that is known.
    private func otherKeyFault(_ settings: Settings, _ key: [UInt8]) -> String? {
        let marks = LedgerKeyMarks(digestKey: nil, checkpointKeySPKI: key)
        do throws(StorageFailure) {
            _ = try LedgerDatabase(settings.ledger.location, access: .readOnly, keys: marks)
            return nil
        } catch {
            return error.code == .otherKeys ? error.detail : nil
        }
    }

    private static func verify(
        _ archive: some LedgerArchive,
        _ key: P256.Signing.PublicKey
    ) throws -> LedgerVerification {
        try LedgerVerifier(archive, key: key).verify()
    }
}
