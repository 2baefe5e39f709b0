import Crypto
import Foundation
import Offers
import Synchronization
import Testing

@testable import Storage

/// The databases that a ledger can be in: each keeps the same promises.
enum LedgerHome: String, CaseIterable, Sendable {
    case sqlite
    case postgresql
}

/// The key of digests, where a test does not care which.
let testDigestKey: DigestKey = {
    guard let key = DigestKey(bytes: Array(repeating: 7, count: 32)) else { preconditionFailure("32 bytes are enough") }
    return key
}()

/// The keys of a ledger whose statements a test signs.
func ledgerKeys(_ signer: KeySigner, digestKey: DigestKey = testDigestKey) throws -> LedgerKeys {
    try LedgerKeys(
        digestKey: digestKey,
        checkpointSigner: signer,
        checkpointKeySPKI: Array(signer.key.publicKey.derRepresentation)
    )
}

/// A ledger of its own for a test, with held state and product reports beside it.
final class LedgerFixture: Sendable {
    let directory: TemporaryDirectory
    let signer = KeySigner()
    let clock = Mutex(Timestamp(millisecondsSince1970: 1_795_000_000_000))
    let home: LedgerHome
    /// What each connection that writes an SQLite file begins with.
    let rule = Mutex<String?>(nil)
    /// Where the ledger is in PostgreSQL.
    let location: PostgreSQLLocation?

    /// Makes a database; or takes one of PostgreSQL's that is there.
    init(_ home: LedgerHome, at location: PostgreSQLLocation? = nil) throws {
        self.home = home
        self.location = home == .postgresql ? try location ?? TestServer.makeDatabase() : nil
        directory = try TemporaryDirectory()
    }

    var path: String { directory.path("ledger.sqlite") }

    /// A store that writes a chain of its own.
    func store(
        retentionDays: Int? = nil,
        digestKey: DigestKey = testDigestKey,
        by other: KeySigner? = nil,
        in database: (any SQLDatabase)? = nil,
        at time: Timestamp? = nil
    ) throws -> LedgerStore {
        LedgerStore(
            try database ?? self.database(),
            keys: try ledgerKeys(other ?? signer, digestKey: digestKey),
            retentionDays: retentionDays,
            now: { time ?? self.now }
        )
    }

    /// Opens the database.
    func database(readOnly: Bool = false) throws -> any SQLDatabase {
        switch home {
        case .sqlite:
            let database = try SQLiteDatabase(path: path, access: readOnly ? .readOnly : .readWrite)
            if !readOnly, let rule = rule.withLock({ $0 }) {
                try database.transaction(.beside) { session throws(StorageFailure) in _ = try session.run(rule) }
            }
            return database
        case .postgresql:
            return try PostgreSQLDatabase(try #require(location), access: readOnly ? .readOnly : .readWrite)
        }
    }

    /// Opens the database with the keys that a ledger in it is written with, and closes it again.
    func open(with keys: LedgerKeyMarks, readOnly: Bool = false) async throws {
        switch home {
        case .sqlite: _ = try SQLiteDatabase(path: path, access: readOnly ? .readOnly : .readWrite, keys: keys)
        case .postgresql:
            let access: SQLAccess = readOnly ? .readOnly : .readWrite
            try await PostgreSQLDatabase(try #require(location), access: access, keys: keys).close()
        }
    }

    /// Held state beside the ledger.
    func states() throws -> StateStore { StateStore(try database(), digestKey: testDigestKey) }

    /// The writer of all that is in the database, or in one that is given.
    func journal(
        _ bounds: Journal.Bounds = .init(),
        retentionDays: Int? = nil,
        in other: (any SQLDatabase)? = nil,
        isClockRight: Bool = true,
        at time: Timestamp? = nil
    ) throws -> Journal {
        let store = try store(retentionDays: retentionDays, in: other, at: time)
        return Journal(store, bounds: bounds, isClockRight: { isClockRight }, now: { time ?? self.now })
    }

    /// The rows of a query: numbers and texts as text, in one line each.
    func rows(_ sql: String) throws -> [String] {
        let rows = try database().read { session throws(StorageFailure) in try session.run(sql) }
        return rows.rows.map { row in
            rows.columns.indices.map { column in
                switch rows.cells[row * rows.columns.count + column] {
                case .null: "-"
                case .integer(let number): "\(number)"
                case .text(let text): text
                case let other: "\(other)"
                }
            }.joined(separator: " ")
        }
    }

    /// What SQLite says of how it looks for what a statement asks.
    func plan(of sql: String) throws -> [String] {
        try database().read { session throws(StorageFailure) in
            let rows = try session.run("EXPLAIN QUERY PLAN " + sql)
            return try rows.rows.map { row throws(StorageFailure) in try rows.text(row, 3) }
        }
    }

    /// Changes the tables as no service does.
    func execute(_ statements: String...) throws { try execute(statements) }

    func execute(_ statements: [String], in other: (any SQLDatabase)? = nil) throws {
        try (other ?? database()).transaction(.beside) { session throws(StorageFailure) in
            for sql in statements { try session.run(sql) }
        }
    }

    /// The tables of the chains.
    static let chains = ["ledger_chains", "ledger_records", "ledger_statements", "ledger_checkpoints"]

    /// Copies the chains, as a dump does.
    func keep(as name: String = "kept", in other: (any SQLDatabase)? = nil) throws {
        try execute(Self.chains.map { "CREATE TABLE \(name)_\($0) AS SELECT * FROM \($0)" }, in: other)
    }

    /// Puts the chains back as they were, as a dump does that is restored under running services.
    func restore(_ name: String = "kept", in other: (any SQLDatabase)? = nil) throws {
        let tables = Self.chains.map { ["DELETE FROM \($0)", "INSERT INTO \($0) SELECT * FROM \(name)_\($0)"] }
        try execute(tables.flatMap(\.self), in: other)
    }

    /// Takes away all that keeps rows of a table apart.
    func dropKey(of table: String, in other: (any SQLDatabase)? = nil) throws {
        let statements =
            switch home {
            case .sqlite:
                [
                    "CREATE TABLE copy AS SELECT * FROM \(table)", "DROP TABLE \(table)",
                    "ALTER TABLE copy RENAME TO \(table)",
                ]
            case .postgresql: ["ALTER TABLE \(table) DROP CONSTRAINT \(table)_pkey"]
            }
        try execute(statements, in: other)
    }

    /// The identifier of a transaction with U+0000, which no text of PostgreSQL's holds.
    static let refusedTransaction = "66\u{0}6"

    /// Has the database refuse ``refusedTransaction`` in a table, though nothing of the service does.
    ///
    /// SQLite takes all texts: each connection that is opened from here on gets a rule of its own, which is not in the file.
    func refuse(in table: String) {
        rule.withLock {
            $0 = """
                CREATE TEMP TRIGGER refusal BEFORE INSERT ON \(table)
                WHEN substr(new.original_transaction_id, 1, 2) = '66'
                BEGIN SELECT RAISE(ABORT, 'no such identifier'); END
                """
        }
    }

    /// Keeps the ledger's records locked, as another process may, while something is done.
    func locking(_ body: () async throws -> Void) async throws {
        let release = DispatchSemaphore(value: 0)
        let finished = DispatchSemaphore(value: 0)
        try await withCheckedThrowingContinuation { (held: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async {
                let isHeld = Mutex(false)
                do {
                    try self.lock {
                        isHeld.withLock { $0 = true }
                        held.resume()
                        release.wait()
                    }
                } catch {
                    // A server ends who keeps it locked too long, on a machine that stands still for a while.
                    if !isHeld.withLock({ $0 }) { held.resume(throwing: error) }
                }
                finished.signal()
            }
        }
        defer {
            release.signal()
            finished.wait()
        }
        try await body()
    }

    private func lock(_ body: @escaping @Sendable () -> Void) throws {
        switch home {
        case .sqlite: try SQLiteDatabase(path: path).transaction(.beside) { _ in body() }
        case .postgresql:
            // Otherwise the server ends who keeps it locked for longer than a batch may take.
            var limits = PostgreSQLLimits()
            limits.batch = .seconds(600)
            let connection = try PostgreSQLConnection(to: try #require(location), limits: limits)
            try connection.query("BEGIN")
            try connection.query("LOCK TABLE ledger_records IN ACCESS EXCLUSIVE MODE")
            body()
            try connection.query("ROLLBACK")
        }
    }

    /// Verifies the ledger, and expects it to be in order.
    @discardableResult
    func verifySound(
        anchor: LedgerAnchor? = nil,
        at place: SourceLocation = #_sourceLocation
    ) throws -> LedgerVerification {
        let found = try verify(anchor: anchor)
        #expect(found.faults.isEmpty, "\(found.faults)", sourceLocation: place)
        return found
    }

    func verify(anchor: LedgerAnchor? = nil) throws -> LedgerVerification {
        try LedgerVerifier(database(readOnly: true), key: signer.key.publicKey).verify(anchor: anchor)
    }

    /// Every record, in the order of time.
    func records() throws -> [LedgerRecord] {
        let start = LedgerPlace(before: Timestamp(millisecondsSince1970: 0))
        return try database(readOnly: true).records(after: start, limit: 100_000)
    }

    var now: Timestamp { clock.withLock { $0 } }

    func advance(days: Int, seconds: Int64 = 0) {
        clock.withLock { $0 = $0.adding(seconds: Int64(days) * 86_400 + seconds) }
    }
}

/// Signs with a key that was made for the test.
final class KeySigner: ES256Signer {
    let key = P256.Signing.PrivateKey()
    /// Whether it signs something else, as a computer at fault may.
    let isWrong = Mutex(false)
    var keyIdentifier: String { "CHECKPOINT" }

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        let bytes = message.indices.map { message[$0] } + (isWrong.withLock { $0 } ? [0] : [])
        do {
            return Array(try key.signature(for: bytes).derRepresentation)
        } catch {
            throw SigningFailure(keyIdentifier: keyIdentifier, detail: "\(error)")
        }
    }
}

/// A directory that is gone when nobody holds it any more.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "storage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }
}

/// Looks again and again until something is so, for ten minutes at most: a machine may be busy.
func wait(_ location: SourceLocation = #_sourceLocation, until isSo: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    while try await !isSo() {
        try #require(ContinuousClock.now < deadline, sourceLocation: location)
        try await Task.sleep(for: .milliseconds(5))
    }
}
