import AppStore
import Glibc
import OfferAPI

/// How many files, sockets among them, the process may have open.
struct OpenFiles {
    /// What is needed beside connections of clients: files, the kernel's queues, connections to four hosts of Apple's.
    private static let others = 256 + 4 * AsyncHTTPTransport.maximumConnectionsPerHost

    /// How many connections clients may have: as many as they should, or as there is room for.
    ///
    /// Were more accepted, the operators' listener would get none, and whoever asks `/livez` would end the service.
    let connections: Int
    /// Says that it is fewer; `nil` when there is enough room.
    let warning: String?

    /// Raises the soft limit as far as it is needed and the hard limit allows.
    init(for connections: Int, otherListeners: Int) {
        // Connections beyond the limit are accepted to be told so: ConnectionCap.
        let ofOthers = otherListeners * ListenerRules.maximumConnectionsOfOthers
        let all = connections + ofOthers
        let needed = all + all / 8 + Self.others
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(needed)
        else {
            self.init(connections: connections, warning: nil)
            return
        }
        limit.rlim_cur = min(rlim_t(needed), limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < rlim_t(needed) else {
            self.init(connections: connections, warning: nil)
            return
        }
        let files = Int(limit.rlim_cur)
        // Where files are few, not all others are open at once: half of them is for clients.
        let room = min(connections, max((files - Self.others) * 8 / 9 - ofOthers, files / 2))
        self.init(
            connections: room,
            warning: "server.limits.maximumConnections is \(connections), but the process may have \(files) files "
                + "open, and lets \(room) connections in; raise LimitNOFILE= of the unit (ulimit -Hn) to \(needed)"
        )
    }

    private init(connections: Int, warning: String?) {
        self.connections = connections
        self.warning = warning
    }
}
