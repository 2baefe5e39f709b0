import Crypto
import Foundation
import Offers
import Synchronization

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

/// A ledger of its own for a test.
final class LedgerFixture: Sendable {
    let directory: TemporaryDirectory
    let signer = KeySigner()
    let clock = Mutex(Timestamp(millisecondsSince1970: 1_795_000_000_000))
    let home: LedgerHome
    /// What each connection that writes an SQLite file begins with.
    let rule = Mutex<String?>(nil)
    /// Where the ledger is in PostgreSQL.
    private let location: PostgreSQLLocation?

    init(_ home: LedgerHome) throws {
        self.home = home
        location = home == .postgresql ? try TestServer.makeDatabase() : nil
        directory = try TemporaryDirectory()
    }

    var path: String { directory.path("ledger.sqlite") }

    /// A store that writes a chain of its own.
    func store(
        retentionDays: Int? = nil,
        digestKey: DigestKey = testDigestKey,
        in database: (any SQLDatabase)? = nil
    ) throws -> LedgerStore {
        LedgerStore(
            try database ?? self.database(),
            keys: try ledgerKeys(signer, digestKey: digestKey),
            retentionDays: retentionDays,
            now: { self.now }
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
            return try PostgreSQLDatabase(try unwrap(location), access: readOnly ? .readOnly : .readWrite)
        }
    }

    /// Opens the database with the keys that a ledger in it is written with, and closes it again.
    func open(with keys: LedgerKeyMarks, readOnly: Bool = false) async throws {
        switch home {
        case .sqlite: _ = try SQLiteDatabase(path: path, access: readOnly ? .readOnly : .readWrite, keys: keys)
        case .postgresql:
            let access: PostgreSQLDatabase.Access = readOnly ? .readOnly : .readWrite
            try await PostgreSQLDatabase(try unwrap(location), access: access, keys: keys).close()
        }
    }

    /// Held state beside the ledger.
    func states() throws -> StateStore { StateStore(try database(), digestKey: testDigestKey) }

    /// Product reports beside the ledger.
    func productReports() throws -> DurableProductReports { DurableProductReports(in: try database()) }

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

    /// Changes the tables as no service does.
    func execute(_ statements: String...) throws { try execute(statements) }

    func execute(_ statements: [String]) throws {
        try database().transaction(.beside) { session throws(StorageFailure) in
            for sql in statements { try session.run(sql) }
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
            let connection = try PostgreSQLConnection(to: try unwrap(location), limits: limits)
            try connection.query("BEGIN")
            try connection.query("LOCK TABLE ledger_records IN ACCESS EXCLUSIVE MODE")
            body()
            try connection.query("ROLLBACK")
        }
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

private struct Missing: Error {}

private func unwrap<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}

/// Signs with a key that was made for the test.
struct KeySigner: ES256Signer {
    let key = P256.Signing.PrivateKey()
    var keyIdentifier: String { "CHECKPOINT" }

    func derSignature(over message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        let bytes = message.indices.map { message[$0] }
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
