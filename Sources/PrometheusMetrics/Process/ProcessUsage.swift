import FoundationEssentials
import Glibc

/// What the process uses of the machine, as the kernel tells it.
struct ProcessUsage {
    /// Processor time, in seconds.
    let processorSeconds: Double
    /// Memory that is in RAM, in bytes.
    let residentBytes: Double
    /// Address space, in bytes.
    let virtualBytes: Double
    /// Threads.
    let threads: Double
    /// Open file descriptors; `nil` where they cannot be counted.
    let openDescriptors: Double?
    /// How many there may be; `nil` for no limit.
    let maximumDescriptors: Double?
    /// When the process started, in seconds since 1970.
    let startSeconds: Double

    /// Asks the kernel now (proc(5): `/proc/self/stat`, `/proc/self/fd`).
    ///
    /// - Returns: `nil` where the kernel does not tell.
    static func now() -> ProcessUsage? {
        guard let data = try? Data(contentsOf: URL(filePath: "/proc/self/stat")) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        // The second field is the program's name, which may hold anything, in parentheses.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
        guard fields.count > 21 else { return nil }
        // Counted from the third field: 20 num_threads, 22 starttime in ticks, 23 vsize, 24 rss in pages.
        let uptimeAtStart = fields[19] / Double(sysconf(Int32(_SC_CLK_TCK)))
        return ProcessUsage(
            processorSeconds: seconds(of: CLOCK_PROCESS_CPUTIME_ID),
            residentBytes: fields[21] * Double(sysconf(Int32(_SC_PAGESIZE))),
            virtualBytes: fields[20],
            threads: fields[17],
            openDescriptors: openDescriptors,
            maximumDescriptors: maximumDescriptors,
            startSeconds: seconds(of: CLOCK_REALTIME) - seconds(of: CLOCK_BOOTTIME) + uptimeAtStart
        )
    }

    private static var openDescriptors: Double? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else { return nil }
        // One of them is that of the directory itself.
        return Double(max(names.count - 1, 0))
    }

    private static var maximumDescriptors: Double? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else {
            return nil
        }
        return Double(limit.rlim_cur)
    }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
