import Crypto
import OfferAPI
import OfferService
import Offers
import Storage
import SubscriptionKeys

/// A ledger that is open for writing, with the database that it is in.
struct OpenLedger: Sendable {
    let journal: Journal
    let database: LedgerDatabase
    let digestKey: DigestKey
    let historyProgress: DurableHistoryProgress
    private let figures = RecentFigure<DatabaseFigures>()
    /// The watch over the clock: while it knows of a fault, nothing old is deleted.
    let clock = ClockMonitor(reading: WallClock.reading)

    /// The log's line about a ledger that was made here; `nil` where it was there.
    let beginning: String?

    /// Opens the ledger; a new one is made with its keys, if `isMade`.
    ///
    /// The keys' memory has been prepared.
    init(_ settings: Settings, isMade: Bool = true) throws(ValueFault) {
        let files = LedgerKeyFiles(settings)
        let isBegun = isMade && files.isLedgerNew
        beginning = isBegun ? files.beginning(areKeysOlder: files.isAnyKeyThere) : nil
        if isMade { try files.makeForNewLedger() } else { try files.checkLedgerIsThere() }
        let signer = try files.loadCheckpointKey()
        digestKey = try files.readDigestKey()
        let marks = LedgerKeyMarks(digestKey: digestKey, checkpointKeySPKI: signer.publicKeySPKI)
        let keys: LedgerKeys
        do throws(StorageFailure) {
            keys = try LedgerKeys(
                digestKey: digestKey,
                checkpointSigner: signer,
                checkpointKeySPKI: signer.publicKeySPKI
            )
            let access: SQLAccess = isMade ? .readWrite : .existing
            database = try LedgerDatabase(settings.ledger.location, access: access, keys: marks)
        } catch {
            if isBegun, case .sqlite(let path) = settings.ledger.location { SQLiteDatabase.deleteIfNothingIsIn(path) }
            let isLasting = [.otherKeys, .newerSchema, .notADatabase].contains(error.code)
            throw ValueFault("the ledger cannot be opened: \(error.detail)", isLasting: isLasting)
        }
        let storage = database.storage
        journal = Journal(
            in: storage,
            keys: keys,
            retentionDays: settings.ledgerRetentionDays,
            endedSubscriptionDays: settings.ledgerEndedSubscriptionDays,
            isClockRight: { [clock] in clock.fault == nil },
            now: WallClock.now
        )
        historyProgress = DurableHistoryProgress(storage)
    }

    /// Opens the ledger for a command's work, and closes it, however that ends.
    ///
    /// Without `isMade` it has to be there: a ledger that were made for the work would be empty, and the one that is meant
    /// is elsewhere.
    static func use<Value>(
        _ settings: Settings,
        isMade: Bool = false,
        for work: (OpenLedger) async throws -> Value
    ) async throws -> Value {
        let opened = try OpenLedger(settings, isMade: isMade)
        do {
            let value = try await work(opened)
            await opened.close()
            return value
        } catch {
            await opened.close()
            throw error
        }
    }

    /// What keeps signatures from being recorded, or held state from being read, in a sentence; `nil` when nothing does.
    var fault: String? {
        // Why it is slow says more than that it is.
        if journal.fault != nil, let cause = database.cause { return "ledger: \(cause); nothing is signed until then" }
        return journal.fault ?? database.fault.map { "ledger: \($0)" } ?? journal.readFault
    }

    /// Waits where an answer can come soon.
    func prove() { journal.prove(within: database.fault == nil ? .seconds(2) : .zero) }

    var warnings: [ReadinessWarning] {
        let sentences: [(kind: ReadinessWarning.Kind, text: String?)] =
            [(.ledger, journal.warning)] + database.warnings.map { (.ledger, $0) }
            + [(.state, journal.statesFault), (.state, journal.statesWarning), (.funnel, journal.statisticsWarning)]
        return sentences.compactMap { kind, text in text.map { ReadinessWarning(kind, $0) } }
    }

    /// Writes the waiting records, signs how far the chain is, and closes the ledger and its database.
    func close() async {
        journal.close()
        await database.close()
    }

    /// How large the database is, and what came of signatures, as it was found last; `nil` before.
    var recentFigures: (value: DatabaseFigures, age: Duration)? {
        figures.latest(of: database.storage, at: WallClock.now())
    }

    var redemptions: DurableRedemptions { DurableRedemptions(database.storage) }

    var recall: LedgerRecall { LedgerRecall(database.storage, digestKey: digestKey) }

    /// The states of customers and the signatures for them, in a ledger that is there and stays as it is.
    static func remembered(_ settings: Settings) throws(ValueFault) -> (memory: StateMemory, recall: LedgerRecall) {
        let (database, key) = try readOnlyWithKey(settings)
        let storage = database.storage
        do throws(StorageFailure) {
            // A server that is out of reach shows itself only when it is asked.
            _ = try storage.record(nonce: "")
        } catch {
            throw ValueFault("the ledger cannot be read: \(error.detail)")
        }
        let states = StoredStates(in: storage, digestKey: key)
        return (StateMemory(states: states, digester: key, draw: key), LedgerRecall(storage, digestKey: key))
    }

    /// Opens the database as it is, with the key of its digests.
    static func readOnlyWithKey(_ settings: Settings) throws(ValueFault) -> (LedgerDatabase, DigestKey) {
        let files = LedgerKeyFiles(settings)
        try files.checkLedgerIsThere()
        let key = try files.readDigestKey()
        return (try readOnly(settings, keys: LedgerKeyMarks(digestKey: key, checkpointKeySPKI: nil)), key)
    }

    /// Opens the database as it is.
    ///
    /// Throws when there is none, or it was written with other `keys`.
    static func readOnly(_ settings: Settings, keys: LedgerKeyMarks? = nil) throws(ValueFault) -> LedgerDatabase {
        try LedgerKeyFiles(settings).checkLedgerIsThere()
        do throws(StorageFailure) {
            return try LedgerDatabase(settings.ledger.location, access: .readOnly, keys: keys)
        } catch {
            throw ValueFault("the ledger cannot be read: \(error.detail)")
        }
    }
}
