import AppStore
import Glibc
import OfferAPI

/// How many files, sockets among them, the process may have open.
enum OpenFiles {
    /// What is needed beside connections of clients: files, the kernel's queues, connections to four hosts of Apple's.
    private static let others = 256 + 4 * AsyncHTTPTransport.maximumConnectionsPerHost

    /// Raises the soft limit as far as it is needed and the hard limit allows.
    ///
    /// - Parameters:
    ///   - connections: How many connections clients may have.
    ///   - otherListeners: How many listeners there are beside theirs.
    /// - Returns: A warning when there is not enough room; `nil` when there is.
    static func makeRoom(for connections: Int, otherListeners: Int) -> String? {
        // Connections beyond the limit are accepted to be told so: ConnectionCap.
        let all = connections + otherListeners * ListenerRules.maximumConnectionsOfOthers
        let needed = rlim_t(all + all / 8 + others)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < needed else {
            return nil
        }
        limit.rlim_cur = min(needed, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < needed else { return nil }
        return
            "server.limits.maximumConnections is \(connections), but the process may have \(limit.rlim_cur) files open; "
            + "raise LimitNOFILE= of the unit (ulimit -Hn) to \(needed)"
    }
}
