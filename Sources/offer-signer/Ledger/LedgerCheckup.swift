import Offers
import Storage
import SubscriptionKeys

/// The ledger as `check` finds it: it is opened as it is, and nothing of it is made or changed.
struct LedgerCheckup {
    let finding: String
    /// Such as a reason why `serve` will not sign, though it will start.
    private(set) var warnings: [String] = []

    /// Asks a PostgreSQL server for a few seconds at most.
    ///
    /// Throws the faults for which `serve` will refuse, or the server will not let it sign.
    init(_ settings: Settings) async throws(ValueFault) {
        let files = LedgerKeyFiles(settings)
        let place: String
        switch settings.ledger.location {
        case .sqlite(let path): place = path
        case .postgres: place = "PostgreSQL"
        }
        guard !files.isLedgerNew else {
            let note =
                switch settings.ledger.origin {
                case .none:
                    ": neither ledger.url nor STATE_DIRECTORY is set (systemd and the image set the latter, an absolute path)"
                case .stateDirectory where files.awaitsDirectory: ", in the directory that systemd makes"
                default: ""
                }
            finding = "\(place), which the first start will make\(note)"
            warnings = [files.lossWarning, files.ownerWarning].compactMap(\.self)
            return
        }
        let marks = LedgerKeyMarks(
            digestKey: try files.readDigestKey(),
            checkpointKeySPKI: try files.loadCheckpointKey().publicKeySPKI
        )
        var failure: StorageFailure?
        var opened: LedgerDatabase?
        var loss: String?
        do throws(StorageFailure) {
            let database = try LedgerDatabase(settings.ledger.location, access: .readOnly, keys: marks)
            // The failure of a server that may be reached later.
            failure = database.failure
            if case .sqlite = database {
                if let fault = try database.storage.schemaFault() { throw fault }
            }
            if failure == nil { loss = (try? database.storage.lossFault())?.detail }
            await database.close()
            opened = database
        } catch {
            guard error.code == .notMigrated else { throw ValueFault(error.detail) }
            failure = error
        }
        if [nil, .notMigrated].contains(failure?.code) {
            let inspection: PostgreSQLInspection?
            do throws(StorageFailure) {
                inspection = try opened?.inspect()
            } catch {
                inspection = nil
                failure = error
            }
            if let inspection, !inspection.faults.isEmpty {
                throw ValueFault(inspection.faults.joined(separator: "; "))
            }
            warnings =
                (inspection?.warnings ?? []).map { "ledger.url: \($0)" }
                + [loss, files.ownerWarning].compactMap(\.self)
        }
        switch failure?.code {
        case nil: finding = "\(place), in order"
        case .notMigrated: finding = "\(place), whose tables the next start will make or bring up to date"
        case .turnedAway: throw ValueFault(failure?.detail ?? "")
        default:
            finding = "\(place), which cannot be reached now"
            warnings.append(
                "ledger.url: \(failure?.detail ?? ""); serve starts without it, but signs nothing until it can be "
                    + "reached"
            )
        }
    }
}
