/// The system refused to protect the process.
public struct ProcessProtectionError: Error, Equatable, CustomStringConvertible {
    /// What was asked for, such as `PR_SET_DUMPABLE 0`.
    public let measure: String
    /// What the system said.
    public let detail: String

    /// The failure in one line.
    public var description: String {
        "the process cannot protect its memory: the system refuses \(measure) (\(detail));"
            + " a filter of system calls (seccomp) has to allow prctl and prlimit64"
    }
}
