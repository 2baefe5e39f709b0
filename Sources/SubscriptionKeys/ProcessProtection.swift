import CLinux
import Glibc

/// What keeps others from looking into a process that holds keys.
package enum ProcessProtection {
    /// Switches the protection on, for good.
    ///
    /// - No core file is written (`RLIMIT_CORE` 0, hard and soft).
    /// - The process is not dumpable (`PR_SET_DUMPABLE` 0): processes of the same user cannot trace it, nor read its
    ///   memory. Nor is there a dump where the kernel pipes it to a program: it ignores `RLIMIT_CORE` 0 then (core(5)).
    /// - It and what it might start gain no privilege (`PR_SET_NO_NEW_PRIVS` 1).
    ///
    /// To be called first thing, on the main thread before there is another: the last holds for the calling thread and
    /// those that it starts.
    package static func enable() throws(KeyError) {
        try require(clinux_forbid_core_files(), "RLIMIT_CORE 0")
        try require(clinux_forbid_dumps(), "PR_SET_DUMPABLE 0")
        try require(clinux_forbid_new_privileges(), "PR_SET_NO_NEW_PRIVS 1")
    }

    private static func require(_ result: Int32, _ measure: String) throws(KeyError) {
        guard result != 0 else { return }
        let reason = unsafe String(cString: strerror(errno))
        throw KeyError(
            .processNotProtected,
            "the process cannot protect its memory: the system refuses \(measure) (\(reason));"
                + " a filter of system calls (seccomp) has to allow prctl and prlimit64"
        )
    }
}
