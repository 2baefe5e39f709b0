import AppStore
import Glibc
import OfferAPI

/// A resource of which the process may have too little for the service to begin: libraries would end it without a word.
struct ResourceShortage {
    let message: String

    /// `nil` when the service lacks nothing.
    static var found: ResourceShortage? {
        let loops = ListenerRules.eventLoopCount
        return addressSpace(640 + 64 * loops) ?? files(26 + 3 * loops)
    }

    /// The need is in MiB, of which most is never used.
    private static func addressSpace(_ needed: Int) -> ResourceShortage? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur >> 20 < rlim_t(needed)
        else { return nil }
        return ResourceShortage(
            message: "the process may have \(limit.rlim_cur >> 20) MiB of address space, but needs \(needed); raise "
                + "LimitAS= of the unit (ulimit -v), and limit memory by MemoryMax= instead"
        )
    }

    private static func files(_ needed: Int) -> ResourceShortage? {
        OpenFiles.shortage(of: needed).map { files in
            ResourceShortage(
                message: "the process may have \(files) files open, but needs \(needed) even without clients; "
                    + "raise LimitNOFILE= of the unit (ulimit -Hn)"
            )
        }
    }
}

struct OpenFiles {
    /// The descriptors needed beside clients' connections: files, the kernel's queues, connections to four hosts of Apple's.
    private static let others = 256 + 4 * AsyncHTTPTransport.maximumConnectionsPerHost

    /// How many connections clients may have: as many as they should, or as there is room for.
    ///
    /// Were more accepted, the operators' listener would get none, and a failing `/livez` probe would end the service.
    let connections: Int
    /// `nil` when there is enough room.
    let warning: String?

    init(for connections: Int, otherListeners: Int) {
        // Connections beyond the limit are accepted, to be answered 503: ConnectionCap.
        let ofOthers = otherListeners * ListenerRules.maximumConnectionsOfOthers
        let all = connections + ofOthers
        let needed = all + all / 8 + Self.others
        guard let files = Self.shortage(of: needed) else {
            self.connections = connections
            warning = nil
            return
        }
        // Where files are few, not all others are open at once: half of them is for clients.
        let room = min(connections, max((files - Self.others) * 8 / 9 - ofOthers, files / 2))
        self.connections = room
        warning =
            "server.limits.maximumConnections is \(connections), but the process may have \(files) files open, which "
            + "leaves room for \(room) connections; raise LimitNOFILE= of the unit (ulimit -Hn) to \(needed)"
    }

    /// Raises the soft limit as far as needed and the hard one allows; returns how many files may be open where that is
    /// too few.
    static func shortage(of needed: Int) -> Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(needed)
        else { return nil }
        limit.rlim_cur = min(rlim_t(needed), limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit.rlim_cur < rlim_t(needed) ? Int(limit.rlim_cur) : nil
    }
}

enum StandardDescriptors {
    /// Takes the closed ones of the numbers 0, 1 and 2, so that no socket or file gets one, and messages and results
    /// with it; returns whether none is free any more.
    ///
    /// To be called before anything is opened. Writing to such a number fails as if it were still closed, so that a
    /// lost result is reported.
    static func reserve() -> Bool {
        (STDIN_FILENO...STDERR_FILENO).allSatisfy { descriptor in
            // The lowest number that is free is taken, which is this one.
            fcntl(descriptor, F_GETFD) >= 0 || open("/dev/null", O_RDONLY) == descriptor
        }
    }
}
