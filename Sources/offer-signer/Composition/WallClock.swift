import Glibc
import Offers

/// The server's clock.
enum WallClock {
    /// The moment, from the kernel's real-time clock.
    ///
    /// - Returns: The moment, to the millisecond.
    @Sendable
    static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
