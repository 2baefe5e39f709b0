internal import FoundationEssentials
import Glibc

/// The usage of processes, as Linux counts it (proc(5)).
package struct ProcessUsage: Equatable, Sendable {
    /// User and system time, in seconds; the kernel counts in hundredths.
    let processorSeconds: Double
    /// The most resident memory so far, in bytes.
    let peakBytes: Int

    private init(processorSeconds: Double, peakBytes: Int) {
        self.processorSeconds = processorSeconds
        self.peakBytes = peakBytes
    }

    /// The sum of several processes; `nil` for none, and where one is not there.
    init?(of processes: [Int32]) {
        let usages = processes.compactMap { ProcessUsage(of: $0) }
        guard !usages.isEmpty, usages.count == processes.count else { return nil }
        processorSeconds = usages.reduce(0) { $0 + $1.processorSeconds }
        peakBytes = usages.reduce(0) { $0 + $1.peakBytes }
    }

    /// `nil` for a process that is not there.
    init?(of process: Int32) {
        guard let stat = Self.read("/proc/\(process)/stat"), let status = Self.read("/proc/\(process)/status"),
            // The name of the program is in parentheses, and may have any character in it.
            let name = stat.lastIndex(of: ")")
        else { return nil }
        let fields = stat[name...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return nil }
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = peak?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
        processorSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        peakBytes = (kibibytes ?? 0) * 1024
    }

    package static func canBeMeasured(of process: Int32) -> Bool { ProcessUsage(of: process) != nil }

    /// The CPU time since an earlier look, and the peak of this one.
    func since(_ before: ProcessUsage) -> ProcessUsage {
        ProcessUsage(processorSeconds: processorSeconds - before.processorSeconds, peakBytes: peakBytes)
    }

    private static func read(_ path: String) -> String? {
        (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) }
    }
}
