import Dispatch
package import Offers
import Synchronization

/// A PostgreSQL database: the home of the ledger and of all other state where several services share theirs.
///
/// One connection writes the ledger and some do everything else, each on a thread of its own. They connect by themselves,
/// again and again while there is no server; a caller meanwhile waits for a bounded time and then fails. A commit
/// that returned is on durable storage: a server with `fsync=off` is refused, and `synchronous_commit` is never off.
package final class PostgreSQLDatabase: Sendable {
    /// How many connections there are beside the one that writes the ledger.
    static let otherConnections = 2

    /// How long the ledger's connection waits for another transaction: the ledger's writer waits with it.
    ///
    /// A writer that waits keeps other customers locked, so that the writers of three replicas may have to wait in a row: all
    /// in less than the two seconds that a signature may take.
    static let longestLock = Duration.milliseconds(500)

    /// How long a transaction of the ledger's connection may take in all, but for one that makes the tables.
    static let longestTransaction = Duration.seconds(30)

    package let name: String

    let location: PostgreSQLLocation

    private let writer: PostgreSQLWorker
    private let others: [PostgreSQLWorker]
    private let turn = Atomic<Int>(0)
    /// Looks at the server of a service.
    private let watch: PostgreSQLWatch?
    private let hosts: PostgreSQLHosts
    private let limits: PostgreSQLLimits
    /// What making the tables has found: see ``PostgreSQLInspection``.
    private let elsewhere: Elsewhere

    private final class Elsewhere: Sendable {
        let warning = Mutex<String?>(nil)

        func inspect(_ connection: PostgreSQLConnection) {
            let found = Result { try PostgreSQLInspection.elsewhere(connection) }
            if case .success(let sentence) = found { warning.withLock { $0 = sentence } }
        }
    }

    /// Opens the database, and waits for its first answer, for a few seconds at most.
    ///
    /// A server that is out of reach is no error: the connections are made when it is there, and ``fault`` says so until
    /// then. An error is thrown when the database must not be used: a newer version has changed its tables, its ledger was
    /// written with other keys (`nil` where none are used), or it does not keep what it commits.
    ///
    /// The report is called when the connection that writes is lost or cannot be made (with the fault, in a sentence), and
    /// when it is there again (`nil`).
    package init(
        _ location: PostgreSQLLocation,
        access: SQLAccess = .readWrite,
        keys: LedgerKeyMarks? = nil,
        limits: PostgreSQLLimits = PostgreSQLLimits(),
        report: @escaping @Sendable (String?) -> Void = { _ in }
    ) throws(StorageFailure) {
        let name = "PostgreSQL at \(location.name)"
        self.name = name
        self.location = location
        self.limits = limits
        let hosts = PostgreSQLHosts(location)
        let elsewhere = Elsewhere()
        (self.hosts, self.elsewhere) = (hosts, elsewhere)
        let prepare: @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Void = {
            connection throws(PostgreSQLError) in
            // The connection finds and makes tables only in our schema from here on.
            try connection.stay()
            if access != .readOnly { try connection.refusePooler() }
            // The usual case takes no lock and no transaction: all is there.
            if access != .readOnly, try !Self.isUpToDate(connection, at: name) {
                elsewhere.inspect(connection)
                do throws(PostgreSQLError) {
                    try Self.migrate(connection, at: name, isMade: access == .readWrite)
                } catch {
                    guard error.code == .refused(.notAllowed) else { throw error }
                    throw PostgreSQLError(
                        .unusable(.notMigrated),
                        "they are not those of this version, and the user may not change them: \(PostgreSQLInspection.fix)"
                    )
                }
            }
            try Self.transaction(on: connection, at: name) { session throws(StorageFailure) in
                if access == .readOnly { try Migration.check(session, at: name) }
                if access == .readOnly { try keys?.check(session, at: name) }
            }
            guard access != .readOnly, let keys else { return }
            try Self.resolve(
                PostgreSQLSession.transaction(on: connection, at: name) { session throws(StorageFailure) in
                    try keys.claim(session, at: name)
                }
            )
        }
        let firstAnswer = DispatchSemaphore(value: 0)
        var writing = limits
        writing.lock = min(limits.lock, Self.longestLock)
        writing.transaction = min(limits.transaction, Self.longestTransaction)
        let writer = PostgreSQLWorker(
            name: "postgresql-write",
            hosts: hosts,
            limits: writing,
            prepare: prepare,
            report: { fault in
                firstAnswer.signal()
                report(fault.map { StorageFailure($0, at: name).detail })
            }
        )
        self.writer = writer
        // The others find the tables that this one makes.
        _ = firstAnswer.wait(timeout: .now() + .milliseconds(Int(limits.connecting.milliseconds)))
        others = (1...Self.otherConnections).map { number in
            PostgreSQLWorker(
                name: "postgresql-\(number)",
                hosts: hosts,
                limits: limits,
                prepare: { connection throws(PostgreSQLError) in
                    try connection.stay()
                    try Self.transaction(on: connection, at: name) { session throws(StorageFailure) in
                        try Migration.check(session, at: name)
                        // Held state has digests in it, too.
                        try keys?.check(session, at: name)
                    }
                }
            )
        }
        watch =
            access == .readWrite
            ? PostgreSQLWatch(
                hosts,
                limits: limits,
                look: { connection in
                    // It ends with its cause, as when search_path is set, the other ledger is gone, or this one is in use.
                    if elsewhere.warning.withLock({ $0 != nil }) { elsewhere.inspect(connection) }
                },
                isHeldUp: { [weak writer] in writer?.isHeldUp ?? false },
                isPooled: { [weak writer] in writer?.leave($0) }
            ) : nil
        if let fault = writer.fault, !fault.isRetryable, fault.code != .stopped {
            throw StorageFailure(fault, at: name)
        }
    }

    /// Opens the database of a URL, see ``PostgreSQLLocation``.
    package convenience init(
        url: String,
        access: SQLAccess,
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
        watch?.stop()
        writer.end()
        for other in others { other.end() }
    }

    /// Why the database is of no use now, in a sentence; `nil` while all connections are there.
    package var fault: String? {
        let fault = writer.fault ?? others.lazy.compactMap(\.fault).first
        return fault.map { StorageFailure($0, at: name).detail }
    }

    /// What commits wait for, in a sentence; `nil` when it is nothing known.
    package var cause: String? { watch?.cause }

    /// Warnings for the operator, though all connections are there.
    package var warnings: [String] { (watch?.warnings ?? []) + [elsewhere.warning.withLock { $0 }].compactMap(\.self) }

    /// Looks whether a service could write its ledger here.
    package func inspect() throws(StorageFailure) -> PostgreSQLInspection {
        do {
            let connection = try hosts.connect(limits: limits)
            try connection.refusePooler()
            var inspection = try PostgreSQLInspection(connection)
            if let warning = hosts.warning { inspection.warn(warning) }
            return inspection
        } catch let error as PostgreSQLError {
            throw StorageFailure(error, at: name)
        } catch {
            throw error as? StorageFailure ?? StorageFailure(.unavailable, "\(name): \(type(of: error))")
        }
    }

    /// Why the connection that was made first is of no use now; `nil` while it is there.
    package var failure: StorageFailure? { writer.fault.map { StorageFailure($0, at: name) } }

    /// Does what waits already, and closes all connections.
    package func close() async {
        watch?.stop()
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
}

extension PostgreSQLDatabase: SQLDatabase {
    package var dialect: SQLDialect { .postgreSQL }

    private static let snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value {
        try wait(for: nextOther, isRepeatable: true) { [name] connection throws(PostgreSQLError) in
            try PostgreSQLSession.transaction(on: connection, at: name, begin: Self.snapshot) {
                session throws(StorageFailure) in
                for setting in PostgreSQLConnection.plansByKeys {
                    try session.send(SQLCall("SET LOCAL \(setting.name) TO DEFAULT"))
                }
                return try body(session)
            }
        }
    }

    package func readAtOnce<Value>(_ body: (any Session) throws(StorageFailure) -> Value) -> Value? { nil }

    package func answer<Value: Sendable>(
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) async throws(StorageFailure) -> Value {
        let result: Result<Value, StorageFailure>
        do throws(PostgreSQLError) {
            result = try await nextOther.run(isRepeatable: true, isHurried: true) {
                [name] connection throws(PostgreSQLError) in
                try PostgreSQLSession.transaction(on: connection, at: name, begin: nil, body)
            }
        } catch {
            throw StorageFailure(error, at: name)
        }
        return try result.get()
    }

    package func transaction<Value: Sendable>(
        _ lane: SQLLane,
        locking rows: Set<Int64>,
        _ body: @escaping @Sendable (any Session) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value {
        let worker = lane == .ledger ? writer : nextOther
        return try wait(for: worker, isRepeatable: lane == .repeatable) { [name] connection throws(PostgreSQLError) in
            try PostgreSQLSession.transaction(
                on: connection,
                at: name,
                locking: rows,
                isSealed: lane == .ledger,
                body
            )
        }
    }

    package var leads: Bool? { nil }

    private func wait<Value: Sendable>(
        for worker: PostgreSQLWorker,
        isRepeatable: Bool,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Result<Value, StorageFailure>
    ) throws(StorageFailure) -> Value {
        let result: Result<Value, StorageFailure>
        do throws(PostgreSQLError) {
            result = try worker.wait(isRepeatable: isRepeatable, body)
        } catch {
            throw StorageFailure(error, at: name)
        }
        return try result.get()
    }
}

// MARK: The tables

extension PostgreSQLDatabase {
    /// From here on the connection finds and makes tables only in the schema that has ours.
    ///
    /// The path may be another one than when they were made. Functions and operators come from the server alone then, and
    /// temporary tables are in nobody's way. Until then the path is the role's: each name is written with its schema.
    static let stay = """
        SELECT pg_catalog.set_config('search_path',
            pg_catalog.concat(pg_catalog.quote_ident(home.nspname::pg_catalog.text), ', pg_temp'), false)
        FROM pg_catalog.pg_class AS tables JOIN pg_catalog.pg_namespace AS home
            ON home.oid OPERATOR(pg_catalog.=) tables.relnamespace
        WHERE tables.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass('schema_migrations')::pg_catalog.oid
        """

    /// Makes the tables that are missing.
    ///
    /// Replicas that start together wait for one another: one of them does it, with the table of the steps locked, in one
    /// transaction. It gives the names of the steps that were made. If there are no tables at all, they are made only if
    /// that is wanted.
    @discardableResult
    static func migrate(
        _ connection: PostgreSQLConnection,
        at place: String,
        isMade: Bool = true
    ) throws(PostgreSQLError) -> [String] {
        var attempts = 0
        while true {
            attempts += 1
            do throws(PostgreSQLError) {
                let made = try resolve(
                    // It may have to build an index over a large table.
                    PostgreSQLSession.transaction(on: connection, at: place, patience: .seconds(3600)) {
                        session throws(StorageFailure) in
                        try migrate(session, at: place, isMade: isMade)
                    }
                )
                try connection.stay()
                return made
            } catch {
                // Another made that table at the same moment: it is there now.
                guard error.code == .refused(.alreadyThere), attempts < 5 else { throw error }
            }
        }
    }

    private static func migrate(
        _ session: any Session,
        at place: String,
        isMade: Bool
    ) throws(StorageFailure) -> [String] {
        try session.run("SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)")
        try session.run(
            "SELECT set_config('transaction_timeout', '0', true) "
                + "WHERE current_setting('transaction_timeout', true) IS NOT NULL"
        )
        try session.run(stay)
        if !isMade, try Migration.made(session).isEmpty {
            throw StorageFailure(.newerSchema, "there is no ledger; name the one that the service writes")
        }
        try session.run(Migration.table)
        try session.run("LOCK TABLE schema_migrations IN SHARE ROW EXCLUSIVE MODE")
        return try Migration.migrate(session, at: place)
    }

    /// Makes or changes the tables, as their owner, and gives the names of the steps that were made.
    ///
    /// An error is also thrown where the tables are not as the steps make them.
    package static func migrate(url: String) throws(StorageFailure) -> [String] {
        do throws(PostgreSQLError) {
            let location = try PostgreSQLLocation(url: url)
            let connection = try PostgreSQLHosts(location).connect(limits: PostgreSQLLimits())
            try connection.stay()
            let place = "PostgreSQL at \(location.name)"
            let made = try isUpToDate(connection, at: place) ? [] : migrate(connection, at: place)
            try transaction(on: connection, at: place) { session throws(StorageFailure) in try session.checkSchema() }
            return made
        } catch {
            throw StorageFailure(error, at: "PostgreSQL")
        }
    }

    private static func isUpToDate(
        _ connection: PostgreSQLConnection,
        at place: String
    ) throws(PostgreSQLError) -> Bool {
        try transaction(on: connection, at: place) { session throws(StorageFailure) in
            try Migration.due(after: Migration.made(session), at: place).isEmpty
        }
    }

    private static func transaction<Value>(
        on connection: PostgreSQLConnection,
        at place: String,
        _ body: (any Session) throws(StorageFailure) -> Value
    ) throws(PostgreSQLError) -> Value {
        try resolve(PostgreSQLSession.transaction(on: connection, at: place, body))
    }

    /// The meaning of a failure for the connection that is being prepared.
    @discardableResult
    private static func resolve<Value>(_ result: Result<Value, StorageFailure>) throws(PostgreSQLError) -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let failure):
            let isKnown = [.newerSchema, .notMigrated, .otherKeys].contains(failure.code)
            throw PostgreSQLError(isKnown ? .unusable(failure.code) : .unexpectedAnswer, failure.detail)
        }
    }
}
