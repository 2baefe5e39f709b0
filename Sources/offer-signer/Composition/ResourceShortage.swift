import ArgumentParser
import Glibc
import OfferAPI

/// What the system does not give the process enough of to begin: where libraries get too little, they end it without a
/// word, or wait for ever.
struct ResourceShortage {
    /// What there is too little of, and the fix.
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

    /// In MiB; most of it is never used.
    private static func addressSpace(_ needed: Int) -> ResourceShortage? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur >> 20 < rlim_t(needed)
        else { return nil }
        return ResourceShortage(
            message: "the process may have \(limit.rlim_cur >> 20) MiB of address space, and needs \(needed); raise "
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
            message: "the process may have \(limit.rlim_cur) files open, and needs \(needed) without any client; raise "
                + "LimitNOFILE= of the unit (ulimit -Hn)",
            status: .badConfiguration
        )
    }

    /// With the one that is there.
    private static func threads(_ needed: Int) -> ResourceShortage? {
        guard !ThreadProbe.canStart(needed - 1) else { return nil }
        return ResourceShortage(
            message: "the process cannot start \(needed) threads, and needs them; raise TasksMax= of the unit, the "
                + "container's limit of processes, or that of the user (ulimit -u)",
            status: .failure
        )
    }
}
