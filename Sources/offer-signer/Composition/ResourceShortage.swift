import AppStore
import ArgumentParser
import Glibc
import OfferAPI

/// A resource that the system gives too little of for the process to begin: where libraries get too little, they end it without a
/// word, or wait for ever.
struct ResourceShortage {
    /// The resource that is short, and the fix.
    let message: String
    /// 78 for a limit, which stays; 1 for what others may have taken for a while.
    let status: ExitCode

    /// Looks for what is missing.
    ///
    /// - Parameter isService: Whether it is the service that begins, and not one of the other commands.
    /// - Returns: What is missing; `nil` when nothing is.
    static func found(forService isService: Bool) -> ResourceShortage? {
        guard isService else { return threads(6) }
        let loops = ListenerRules.eventLoopCount
        return addressSpace(640 + 64 * loops) ?? files(26 + 3 * loops) ?? threads(8 + 2 * loops)
    }

    /// Finds a shortage of address space; the need is in MiB, of which most is never used.
    private static func addressSpace(_ needed: Int) -> ResourceShortage? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur >> 20 < rlim_t(needed)
        else { return nil }
        return ResourceShortage(
            message: "the process may have \(limit.rlim_cur >> 20) MiB of address space, but needs \(needed); raise "
                + "LimitAS= of the unit (ulimit -v), and limit memory by MemoryMax= instead",
            status: .badConfiguration
        )
    }

    /// The soft limit is raised as far as the hard one allows.
    private static func files(_ needed: Int) -> ResourceShortage? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(needed)
        else { return nil }
        limit.rlim_cur = min(rlim_t(needed), limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < rlim_t(needed) else { return nil }
        return ResourceShortage(
            message: "the process may have \(limit.rlim_cur) files open, but needs \(needed) even without clients; "
                + "raise LimitNOFILE= of the unit (ulimit -Hn)",
            status: .badConfiguration
        )
    }

    /// Finds a shortage of threads; the need includes the thread that is there.
    private static func threads(_ needed: Int) -> ResourceShortage? {
        guard !ThreadProbe.canStart(needed - 1) else { return nil }
        return ResourceShortage(
            message: "the process needs \(needed) threads and cannot start them; raise TasksMax= of the unit, the "
                + "container's limit of processes, or that of the user (ulimit -u)",
            status: .failure
        )
    }
}

/// Threads that do nothing, and show by their number how many the system gives: what it allows hangs on the user's other
/// programs and on the container's, too.
enum ThreadProbe {
    /// Starts threads that are there all at once, and ends them.
    static func canStart(_ count: Int) -> Bool {
        let gate = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(gate, 0, 0)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        // Their stacks need no room: they only wait.
        pthread_attr_setstacksize(&attributes, 65_536)
        var threads: [pthread_t] = []
        for _ in 0..<count {
            var thread = pthread_t()
            let wait: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { gate in
                if let gate { sem_wait(gate.assumingMemoryBound(to: sem_t.self)) }
                return nil
            }
            guard pthread_create(&thread, &attributes, wait, gate) == 0 else { break }
            threads.append(thread)
        }
        for _ in threads { sem_post(gate) }
        for thread in threads { pthread_join(thread, nil) }
        pthread_attr_destroy(&attributes)
        sem_destroy(gate)
        gate.deallocate()
        return threads.count == count
    }
}

/// How many files, sockets among them, the process may have open.
struct OpenFiles {
    /// The descriptors needed beside clients' connections: files, the kernel's queues, connections to four hosts of Apple's.
    private static let others = 256 + 4 * AsyncHTTPTransport.maximumConnectionsPerHost

    /// How many connections clients may have: as many as they should, or as there is room for.
    ///
    /// Were more accepted, the operators' listener would get none, and a failing `/livez` probe would end the service.
    let connections: Int
    /// Says that it is fewer; `nil` when there is enough room.
    let warning: String?

    /// Raises the soft limit as far as it is needed and the hard limit allows.
    init(for connections: Int, otherListeners: Int) {
        // Connections beyond the limit are accepted, to be answered 503: ConnectionCap.
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
                + "open, which leaves room for \(room) connections; raise LimitNOFILE= of the unit (ulimit -Hn) to "
                + "\(needed)"
        )
    }

    private init(connections: Int, warning: String?) {
        self.connections = connections
        self.warning = warning
    }
}

/// The descriptors 0, 1 and 2, by which programs read and write without having opened anything.
enum StandardDescriptors {
    /// Takes the numbers of those that are closed, so that none of them becomes a socket's or a file's, into which messages
    /// and results would be written.
    ///
    /// To be called before anything is opened. Writing to what holds a number fails as if it were still closed, so that
    /// a lost result is reported.
    ///
    /// - Returns: Whether none of them is free any more.
    static func reserve() -> Bool {
        (STDIN_FILENO...STDERR_FILENO).allSatisfy { descriptor in
            // The lowest number that is free is taken, which is this one.
            fcntl(descriptor, F_GETFD) >= 0 || open("/dev/null", O_RDONLY) == descriptor
        }
    }
}
