import Crypto
import Storage
import SubscriptionKeys

/// A ledger that is open for writing, with the database that it is in.
struct OpenLedger: Sendable {
    /// The ledger.
    let ledger: DurableLedger
    /// The database, where other state is kept, too.
    let database: SQLiteDatabase

    /// Opens the ledger that the settings describe; a new one is made with its keys.
    ///
    /// - Parameter settings: The settings. The keys' memory has been prepared.
    /// - Throws: ``ValueFault`` that says what is wrong and how to mend it.
    init(_ settings: Settings) throws(ValueFault) {
        guard case .sqlite(let path) = settings.ledger.location else { throw Self.noPostgreSQL }
        let files = LedgerKeyFiles(settings.ledger)
        try files.makeForNewLedger(settings.ledger)
        let keys = LedgerKeys(
            digestKey: try files.readDigestKey(settings.keyProtection),
            checkpointSigner: try files.loadCheckpointKey(settings.keyProtection)
        )
        do throws(StorageFailure) {
            database = try SQLiteDatabase(path: path)
        } catch {
            throw ValueFault("the ledger cannot be opened: \(error.detail)")
        }
        ledger = DurableLedger(
            in: database,
            keys: keys,
            retentionDays: settings.ledger.retentionDays,
            now: WallClock.now
        )
    }

    /// Opens the ledger for reading, as it is.
    ///
    /// - Parameter settings: The settings.
    /// - Returns: The database.
    /// - Throws: ``ValueFault`` when there is none.
    static func archive(_ settings: Settings) throws(ValueFault) -> SQLiteDatabase {
        guard case .sqlite(let path) = settings.ledger.location else { throw noPostgreSQL }
        do throws(StorageFailure) {
            return try SQLiteDatabase(path: path, access: .readOnly)
        } catch {
            throw ValueFault("the ledger cannot be read: \(error.detail)")
        }
    }

    private static let noPostgreSQL = ValueFault(
        "ledger.url: a ledger in PostgreSQL is not supported yet; sqlite:FILE is"
    )
}
