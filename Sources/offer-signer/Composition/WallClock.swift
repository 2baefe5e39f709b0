import Glibc
import OfferService
import Offers

enum WallClock {
    @Sendable
    static func now() -> Timestamp {
        Timestamp(millisecondsSince1970: milliseconds(of: CLOCK_REALTIME))
    }

    /// The moment together with the machine's uptime, which nobody can set: sleep counts, so that waking is no jump.
    @Sendable
    static func reading() -> ClockReading {
        ClockReading(wall: now(), uptimeMilliseconds: milliseconds(of: CLOCK_BOOTTIME))
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        MachineClock.nanoseconds(of: clock) / 1_000_000
    }
}
