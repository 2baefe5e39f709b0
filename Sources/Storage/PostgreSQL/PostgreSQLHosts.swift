import Synchronization

/// Chooses one server among the hosts of a URL.
///
/// Each host is tried by itself, so that a silent one keeps nobody from the next. Of several that take writes, as after a
/// failover whose old primary was not stopped, the one with the newest history is used; and once that was seen no older one
/// is, by whichever host it comes.
final class PostgreSQLHosts: Sendable {
    struct History: Equatable, Sendable {
        /// The identifier of the database cluster, which a standby has from its primary.
        let system: Int64
        let timeline: Int64
    }

    private struct Seen {
        /// The newest timeline of each cluster, and where it was seen.
        var newest: [Int64: (timeline: Int64, place: String)] = [:]
        /// An old primary that takes writes, by where it is; `nil` where the last look found none.
        var outdated: String?
    }

    private let hosts: [PostgreSQLLocation]
    private let seen = Mutex(Seen())

    init(_ location: PostgreSQLLocation) { hosts = location.hosts }

    /// A warning for the operator; `nil` when there is none.
    var warning: String? {
        seen.withLock(\.outdated).map {
            "\($0) is an old primary that still takes writes: nothing is written there; stop it, or keep it away (fencing)"
        }
    }

    /// Connects to the server that is to be used, after so many failed attempts; an error has what each host said.
    func connect(limits: PostgreSQLLimits, attempt: Int = 0) throws(PostgreSQLError) -> PostgreSQLConnection {
        var limits = limits
        if hosts.count > 1 { limits.connecting = limits.connectingToOneOfMany * (attempt == 0 ? 1 : 2) }
        var found: [PostgreSQLConnection] = []
        var errors: [PostgreSQLError] = []
        for host in hosts {
            do throws(PostgreSQLError) {
                let connection = try PostgreSQLConnection(to: host, limits: limits)
                found.append(connection)
                recordTimeline(of: connection)
                // Servers that are only read from are not compared: the first will do.
                if connection.history == nil { break }
            } catch {
                errors.append(error)
            }
        }
        guard let newest = found.max(by: { ($0.history?.timeline ?? 0) < ($1.history?.timeline ?? 0) }) else {
            throw Self.combined(errors)
        }
        let outdated = found.first(where: isOutdated)
        seen.withLock { $0.outdated = outdated?.place }
        guard !isOutdated(newest) else { throw superseded(newest) }
        return newest
    }

    /// Whether a connection is to an old primary, as is known by now.
    func isOutdated(_ connection: PostgreSQLConnection) -> Bool {
        guard let history = connection.history else { return false }
        return seen.withLock { ($0.newest[history.system]?.timeline ?? 0) > history.timeline }
    }

    /// The fault of a connection to an old primary.
    func superseded(_ connection: PostgreSQLConnection) -> PostgreSQLError {
        guard let history = connection.history, let newest = seen.withLock({ $0.newest[history.system] }) else {
            return PostgreSQLError(.superseded, connection.place)
        }
        return PostgreSQLError(
            .superseded,
            "\(connection.place) is on timeline \(history.timeline), and \(newest.place) was on timeline \(newest.timeline)"
        )
    }

    private func recordTimeline(of connection: PostgreSQLConnection) {
        guard let history = connection.history else { return }
        seen.withLock { seen in
            guard history.timeline > seen.newest[history.system]?.timeline ?? 0 else { return }
            seen.newest[history.system] = (history.timeline, connection.place)
        }
    }

    /// One error of several: what a server said counts for more than that another one said nothing.
    private static func combined(_ errors: [PostgreSQLError]) -> PostgreSQLError {
        guard errors.count > 1, let first = errors.first else {
            return errors.first ?? PostgreSQLError(.unreachable, "the URL names no host")
        }
        // A standby says least: while its primary is away, another one may be made.
        let silent: [PostgreSQLError.Code] = [.unreachable, .turnedAway(.readOnly)]
        let telling =
            errors.first { !$0.isRetryable } ?? errors.first { !silent.contains($0.code) }
            ?? errors.first { $0.code == .unreachable } ?? first
        let details = errors.map { $0 == telling ? $0.detail : $0.code == .unreachable ? $0.detail : $0.description }
        let all = details.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return PostgreSQLError(telling.code, all.joined(separator: "; "))
    }
}
