import Dispatch
import Synchronization

/// Looks at a server from time to time by a connection of its own: what holds commits up, how standbys follow, whether an old
/// primary is there beside the new one, or a pooler before it, and who keeps dead chains from being ended.
final class PostgreSQLWatch: Sendable {
    private struct Found {
        /// What commits wait for, in a sentence; `nil` when it is nothing known.
        var cause: String?
        /// How standbys follow, and who has a writer's lock, where that is worth a warning.
        var warnings: [String] = []
    }

    /// How many seconds pass from one look to the next where nothing is wrong, and where commits are held up.
    private static let pauses = (usually: 10, heldUp: 2)

    private let hosts: PostgreSQLHosts
    private let limits: PostgreSQLLimits
    private let look: @Sendable (PostgreSQLConnection) -> Void
    private let isHeldUp: @Sendable () -> Bool
    private let isPooled: @Sendable (PostgreSQLError) -> Void
    private let timer = UpkeepTimer(on: DispatchQueue(label: "postgresql.watch"))
    private let found = Mutex(Found())
    private let seconds = Atomic(pauses.usually)

    /// It lets others look by its connection, too, and says when it has found a pooler.
    init(
        _ hosts: PostgreSQLHosts,
        limits: PostgreSQLLimits,
        look: @escaping @Sendable (PostgreSQLConnection) -> Void = { _ in },
        isHeldUp: @escaping @Sendable () -> Bool,
        isPooled: @escaping @Sendable (PostgreSQLError) -> Void
    ) {
        self.hosts = hosts
        self.limits = limits
        self.look = look
        self.isHeldUp = isHeldUp
        self.isPooled = isPooled
        timer.start { [weak self] _ in self?.tick() }
    }

    /// What commits wait for, in a sentence; `nil` when it is nothing known.
    var cause: String? { found.withLock(\.cause) }

    var warnings: [String] { found.withLock(\.warnings) + [hosts.warning].compactMap(\.self) }

    func stop() { timer.stop() }

    private func tick() {
        let isHeldUp = isHeldUp()
        if !isHeldUp { found.withLock { $0.cause = nil } }
        guard seconds.add(1, ordering: .relaxed).newValue >= (isHeldUp ? Self.pauses.heldUp : Self.pauses.usually)
        else {
            return
        }
        seconds.store(0, ordering: .relaxed)
        do {
            let connection = try hosts.connect(limits: limits)
            try connection.refusePooler()
            try connection.stay()
            look(connection)
            let state = try ReplicationState(connection)
            let strangers = try? Strangers(connection).warning
            found.withLock { found in
                found.cause = isHeldUp ? state.cause : nil
                found.warnings = [state.warning, strangers].compactMap(\.self)
            }
        } catch {
            // Without a connection, the callers that need one say so.
            if let error = error as? PostgreSQLError, error.code == .pooled { isPooled(error) }
        }
    }
}

/// How a server's standbys follow it.
struct ReplicationState {
    private let names: String
    /// How many standbys are connected, as far as the user may know.
    private let standbys: Int64
    /// How many of the user's own commits wait for a standby for longer than a second.
    private let waiting: Int64

    private static let question = SQLCall(
        """
        SELECT coalesce(current_setting('synchronous_standby_names', true), ''),
            (SELECT count(*) FROM pg_stat_replication),
            (SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND usename = current_user
                AND query_start < now() - interval '1 second')
        """
    )

    init(_ connection: PostgreSQLConnection) throws {
        let rows = try connection.run(Self.question)
        names = try rows.text(0, 0)
        standbys = try rows.integer(0, 1)
        waiting = try rows.integer(0, 2)
    }

    /// What commits wait for, in a sentence; `nil` when it is not a standby.
    var cause: String? {
        guard waiting > 0 else { return nil }
        return "commits wait for a synchronous standby (wait_event SyncRep), and none of synchronous_standby_names "
            + "(\(names)) confirms them: bring one back, or on the primary take them out of it and reload; never cancel "
            + "what waits or end its sessions, as what it wrote may be lost"
    }

    /// A sentence where a failover may lose what was answered; `nil` where nothing is known of that.
    var warning: String? {
        guard names.isEmpty, standbys > 0 else { return nil }
        return
            "PostgreSQL's standby follows asynchronously: a failover to it loses signatures that were given out, and their "
            + "limits; set synchronous_standby_names on the primary"
    }
}

/// Those who have the lock of a chain's writer, though they may not write the ledger: it shows a writer that is dead as alive,
/// so that nobody ends its chain.
struct Strangers {
    /// A sentence that names them; `nil` where there are none.
    let warning: String?

    private static let question = """
        SELECT activity.pid::int8, coalesce(activity.usename::text, '?')
        FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
        WHERE locktype = 'advisory' AND granted AND objsubid = 1
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND ((classid::int8 << 32) | objid::int8) = ANY ($1::int8[])
            AND NOT coalesce(has_table_privilege(activity.usesysid, 'ledger_records', 'INSERT'), false)
        ORDER BY 1
        """

    init(_ connection: PostgreSQLConnection) throws {
        let session = PostgreSQLSession(connection, at: connection.place)
        let lives = try session.openWriters().map(LockRows.life(of:))
        let rows = try session.run(Self.question, .integers(lives))
        let names = try rows.rows.map { "role \(try rows.text($0, 1)), process \(try rows.integer($0, 0))" }
        warning =
            names.isEmpty
            ? nil
            : "somebody who may not write the ledger has the advisory lock by which a chain's writer is known to live "
                + "(\(names.joined(separator: "; "))): the chain is not ended when its writer is gone; end that session, "
                + "pg_terminate_backend(PROCESS), and take CONNECT from that role"
    }
}
