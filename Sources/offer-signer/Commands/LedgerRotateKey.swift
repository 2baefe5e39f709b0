import ArgumentParser
import Offers
import Storage
import SubscriptionKeys

/// Gives the ledger another checkpoint key.
struct LedgerRotateKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-checkpoint-key",
        abstract: "Gives the ledger another checkpoint key; both keys sign the change.",
        discussion:
            "Stop every service before. What the old key signed stays as it is, and `ledger verify` checks it by the old "
            + "public key. A key that was made beside an SQLite ledger is replaced by a new one; where the configuration "
            + "names ledger.checkpointKeyFile, --new-key-file is the new key, which it has to name from then on. If the "
            + "command is interrupted, run it once more."
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "The new key, a P8 of P-256, as `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256` writes it.",
            valueName: "file"
        )
    )
    var newKeyFile: String?

    func run() async throws {
        let settings = try options.settings()
        let files = LedgerKeyFiles(settings)
        try files.checkLedgerIsThere()
        let isOwn = settings.ledger.checkpointKeyFile == nil
        guard isOwn == (newKeyFile == nil) else {
            Console.message(
                isOwn
                    ? "error: the ledger's checkpoint key is the one beside it, and the command makes the new one: leave out "
                        + "--new-key-file"
                    : "error: --new-key-file names the new key, as the configuration names ledger.checkpointKeyFile"
            )
            throw ExitCode.validationFailure
        }
        if case .sqlite(let path) = settings.ledger.location, SQLiteDatabase.isWrittenByAnother(path) {
            throw Console.failure("\(Echo.path(path)): another process has the ledger open: stop every service before")
        }
        let new = NewCheckpointKey(files, path: newKeyFile)
        let old = try files.loadCheckpointKey()
        let done: LedgerKeyChange?
        do {
            done = try await rotate(settings, files, old, new)
        } catch let error as StorageFailure {
            throw Console.failure("the checkpoint key was not changed: \(error.detail)")
        }
        if isOwn { try new.putInPlace() }
        try Console.result(done?.sentence ?? "The ledger has the new key already.")
        try Console.result(
            isOwn
                ? "The new key is in \(Echo.path(files.checkpointKey)): back it up, and start the service. Backups from "
                    + "before need the old key, which is in them."
                : "Name \(Echo.path(new.path)) as ledger.checkpointKeyFile for every service, then start them. Backups from "
                    + "before need the old key: keep it with them."
        )
    }

    /// Changes the key in the database; `nil` where a run that was interrupted has done it.
    private func rotate(
        _ settings: Settings,
        _ files: LedgerKeyFiles,
        _ old: SigningKey,
        _ new: NewCheckpointKey
    ) async throws -> LedgerKeyChange? {
        let digestKey = try files.readDigestKey()
        func marks(_ key: SigningKey) -> LedgerKeyMarks {
            LedgerKeyMarks(digestKey: digestKey, checkpointKeySPKI: key.publicKeySPKI)
        }
        func keys(_ key: SigningKey) throws(StorageFailure) -> LedgerKeys {
            try LedgerKeys(digestKey: digestKey, checkpointSigner: key, checkpointKeySPKI: key.publicKeySPKI)
        }
        let database: LedgerDatabase
        do throws(StorageFailure) {
            database = try LedgerDatabase(settings.ledger.location, access: .existing, keys: marks(old))
        } catch {
            // A run that was interrupted may have done it.
            guard error.code == .otherKeys, let key = try new.known(),
                let known = try? LedgerDatabase(settings.ledger.location, access: .readOnly, keys: marks(key))
            else { throw error }
            let isKnown = known.failure == nil
            await known.close()
            guard isKnown else { throw error }
            return nil
        }
        let result = Result {
            if let failure = database.failure { throw failure }
            let (old, new) = (try keys(old), try keys(new.make()))
            return try CheckpointKeyRotation.rotate(database.storage, from: old, to: new, at: WallClock.now())
        }
        await database.close()
        return try result.get()
    }
}

extension LedgerKeyChange {
    var sentence: String {
        "The checkpoint key was changed at \(time.rfc3339), after \(Int(clamping: chains).of("chain")): SHA-256 "
            + "\(Hexadecimal.text(oldKeySHA256)) until then, \(Hexadecimal.text(newKeySHA256)) since."
    }
}
