import Dispatch
import Synchronization

/// A PostgreSQL database: the home of the ledger and of all other state where several services share theirs.
///
/// One connection writes the ledger and some do everything else, each on a thread of its own. They connect by themselves,
/// again and again while there is no server; whoever asks meanwhile waits for a bounded time and then fails. A commit
/// that returned is on durable storage: a server with `fsync=off` is refused, and `synchronous_commit` is never off.
public final class PostgreSQLDatabase: Sendable {
    /// What the database is opened for.
    public enum Access: Sendable {
        /// To read and write; tables that are missing are made.
        case readWrite
        /// To read and write where there is a ledger; tables that it does not have yet are made.
        case existing
        /// To read what is there; nothing is made or changed.
        case readOnly
    }

    /// How many connections there are beside the one that writes the ledger.
    static let otherConnections = 2

    /// The server and the database, for messages.
    public let name: String

    /// Where it is.
    let location: PostgreSQLLocation

    private let writer: PostgreSQLWorker
    private let others: [PostgreSQLWorker]
    private let turn = Atomic<Int>(0)

    /// Opens the database, and waits for its first answer, for a few seconds at most.
    ///
    /// A server that is out of reach is no error: the connections are made when it is there, and ``fault`` says so until
    /// then.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - access: What it is opened for.
    ///   - keys: The keys that a ledger in it is written with; others than before are refused. `nil` where none are used.
    ///   - limits: How long things may take.
    ///   - report: Told when the connection that writes is lost or cannot be made (what is wrong, in a sentence), and when
    ///     it is there again (`nil`).
    /// - Throws: ``StorageFailure`` when the database must not be used: a newer version has changed its tables, its ledger
    ///   was written with other keys, or it does not keep what it commits.
    public init(
        _ location: PostgreSQLLocation,
        access: Access = .readWrite,
        keys: LedgerKeyMarks? = nil,
        limits: PostgreSQLLimits = PostgreSQLLimits(),
        report: @escaping @Sendable (String?) -> Void = { _ in }
    ) throws(StorageFailure) {
        let name = "PostgreSQL at \(location.name)"
        self.name = name
        self.location = location
        let prepare: @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Void = {
            connection throws(PostgreSQLError) in
            switch access {
            case .readWrite: try PostgreSQLMigrator.migrate(connection, at: name)
            case .existing:
                try PostgreSQLMigrator.checkHasLedger(connection)
                try PostgreSQLMigrator.migrate(connection, at: name)
            case .readOnly: try PostgreSQLMigrator.check(connection, at: name)
            }
            guard let keys else { return }
            if access == .readOnly { try connection.checkKeys(keys) } else { try connection.claim(with: keys) }
        }
        let firstAnswer = DispatchSemaphore(value: 0)
        writer = PostgreSQLWorker(
            name: "postgresql-write",
            location: location,
            limits: limits,
            prepare: prepare,
            report: { fault in
                firstAnswer.signal()
                report(fault.map { StorageFailure($0, at: name).detail })
            }
        )
        others = (1...Self.otherConnections).map { number in
            PostgreSQLWorker(
                name: "postgresql-\(number)",
                location: location,
                limits: limits,
                prepare: { connection throws(PostgreSQLError) in
                    try PostgreSQLMigrator.check(connection, at: name)
                    // Held state has digests in it, too.
                    if let keys { try connection.checkKeys(keys) }
                }
            )
        }
        _ = firstAnswer.wait(timeout: .now() + .milliseconds(Int(limits.connecting.milliseconds)))
        if let fault = writer.fault, !fault.isRetryable, fault.code != .stopped {
            throw StorageFailure(fault, at: name)
        }
    }

    /// Opens the database of a URL.
    ///
    /// - Parameters:
    ///   - url: Where it is; see ``PostgreSQLLocation``.
    ///   - access: What it is opened for.
    ///   - keys: The keys that a ledger in it is written with; `nil` where none are used.
    /// - Throws: ``StorageFailure``.
    public convenience init(
        url: String,
        access: Access,
        keys: LedgerKeyMarks? = nil
    ) throws(StorageFailure) {
        let location: PostgreSQLLocation
        do throws(PostgreSQLError) {
            location = try PostgreSQLLocation(url: url)
        } catch {
            throw StorageFailure(error, at: "the ledger's URL")
        }
        try self.init(location, access: access, keys: keys)
    }

    deinit {
        writer.end()
        for other in others { other.end() }
    }

    /// Why the database is of no use now, in a sentence; `nil` while all connections are there.
    public var fault: String? {
        let fault = writer.fault ?? others.lazy.compactMap(\.fault).first
        return fault.map { StorageFailure($0, at: name).detail }
    }

    /// Why the connection that was made first is of no use now; `nil` while it is there.
    public var failure: StorageFailure? { writer.fault.map { StorageFailure($0, at: name) } }

    /// Works with the connection that writes the ledger, and waits for it: not to be called from the cooperative pool.
    ///
    /// - Parameter body: What to do, on the connection's thread.
    /// - Returns: What `body` returns.
    /// - Throws: ``StorageFailure``.
    func write<Value>(
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) throws(StorageFailure) -> Value {
        try wait(for: writer, isRepeatable: false, body)
    }

    /// Works beside whoever writes the ledger, and waits for it: not to be called from the cooperative pool.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether doing it twice is the same as doing it once: it is done once more when the connection
    ///     breaks under it.
    ///   - body: What to do, on a connection's thread.
    /// - Returns: What `body` returns.
    /// - Throws: ``StorageFailure``.
    func workWaiting<Value>(
        isRepeatable: Bool = true,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) throws(StorageFailure) -> Value {
        try wait(for: nextOther, isRepeatable: isRepeatable, body)
    }

    /// Works beside whoever writes the ledger, for somebody in a hurry: where there has been no connection for a second,
    /// nobody waits for one.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether doing it twice is the same as doing it once: it is done once more when the connection
    ///     breaks under it.
    ///   - body: What to do, on a connection's thread.
    /// - Returns: What `body` returns.
    /// - Throws: ``StorageFailure``.
    func work<Value: Sendable>(
        isRepeatable: Bool = true,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) async throws(StorageFailure) -> Value {
        do throws(PostgreSQLError) {
            return try await nextOther.run(isRepeatable: isRepeatable, isHurried: true, body)
        } catch {
            throw StorageFailure(error, at: name)
        }
    }

    /// Does what waits already, and closes all connections.
    public func close() async {
        await writer.stop()
        for other in others { await other.stop() }
    }

    /// The connection with the least to do, in turn where several have as little.
    private var nextOther: PostgreSQLWorker {
        let number = turn.wrappingAdd(1, ordering: .relaxed).newValue
        let start = Int(UInt(bitPattern: number) % UInt(others.count))
        let inTurn = others[start...] + others[..<start]
        return inTurn.min { $0.load < $1.load } ?? others[start]
    }

    private func wait<Value>(
        for worker: PostgreSQLWorker,
        isRepeatable: Bool,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) throws(StorageFailure) -> Value {
        do throws(PostgreSQLError) {
            return try worker.wait(isRepeatable: isRepeatable, body)
        } catch {
            throw StorageFailure(error, at: name)
        }
    }
}
