import Offers
import Storage
import SubscriptionKeys

/// What `check` finds where the ledger is: it is opened as it is, and nothing of it is made or changed.
struct LedgerCheckup {
    /// What is there, in a line.
    let finding: String
    /// What will keep `serve` from signing, though it will start; `nil` when nothing is known.
    private(set) var warning: String?

    /// Looks at the ledger, and asks the PostgreSQL server for a few seconds at most.
    init(_ settings: Settings) async throws(ValueFault) {
        let files = LedgerKeyFiles(settings)
        let place: String
        switch settings.ledger.location {
        case .sqlite(let path): place = path
        case .postgres: place = "PostgreSQL"
        }
        guard !files.isLedgerNew else {
            finding = "\(place), which the first start will make"
            warning = files.lossWarning
            return
        }
        let marks = LedgerKeyMarks(
            digestKey: try files.readDigestKey(),
            checkpointKeySPKI: try files.loadCheckpointKey().publicKeySPKI
        )
        let failure: StorageFailure?
        do throws(StorageFailure) {
            let database = try LedgerDatabase(settings.ledger.location, access: .readOnly, keys: marks)
            // Of a server that may be there later.
            failure = database.failure
            await database.close()
        } catch {
            guard error.code == .notMigrated else { throw ValueFault(error.detail) }
            failure = error
        }
        guard let failure else {
            finding = "\(place), in order"
            return
        }
        guard failure.code != .notMigrated else {
            finding = "\(place), whose tables the next start will make or bring up to date"
            return
        }
        finding = "\(place), which could not be asked"
        warning = "ledger.url: \(failure.detail); serve starts without it, and signs nothing until it is there"
    }
}
