package import Offers
import Synchronization

/// Judges the time of day by the machine's uptime and by Apple's clock; a value without a clock of its own.
package struct ClockWatch: Sendable {
    /// The tolerated error of the clock, in milliseconds; it is also the tolerance for dates of evidence.
    package static var toleranceMilliseconds: Int64 { ClockSkew.toleratedSeconds * 1000 }

    /// The time over which small steps add up, in milliseconds: an hour.
    ///
    /// Without an end to it, a year of leap seconds and paused virtual machines would count as one jump.
    package static var memoryMilliseconds: Int64 { 3_600_000 }

    /// The last reading at which the clock is known to have been in order.
    private var reference: ClockReading
    /// The latest time seen on Apple's clock, in milliseconds since 1970 at an uptime of zero.
    private var apple: (epochMilliseconds: Int64, isExact: Bool)?

    /// Begins to watch with a reading that is believed.
    package init(_ reading: ClockReading) {
        reference = reading
    }

    /// Judges the clock; `nil` for no fault.
    ///
    /// A jump stays until the clock has come back, Apple's clock confirms it, or an operator answers for it
    /// (``believe(_:)``).
    package mutating func judge(_ reading: ClockReading) -> ClockFault? {
        if let apple {
            let ahead = reading.epochMilliseconds - apple.epochMilliseconds
            if ahead < -Self.toleranceMilliseconds { return .behindApple(milliseconds: -ahead) }
            if apple.isExact, ahead > Self.toleranceMilliseconds { return .aheadOfApple(milliseconds: ahead) }
            // Apple has judged it.
            if apple.isExact { reference = reading }
        }
        let jump = reading.epochMilliseconds - reference.epochMilliseconds
        if abs(jump) > Self.toleranceMilliseconds { return .jumped(milliseconds: jump) }
        let age = reading.uptimeMilliseconds - reference.uptimeMilliseconds
        if age > Self.memoryMilliseconds { reference = reading }
        return nil
    }

    package mutating func observe(_ date: AppleDate, at reading: ClockReading) {
        guard date.isPlausible else { return }
        switch date {
        case .signed(let date):
            let epoch = date.millisecondsSince1970 - reading.uptimeMilliseconds
            if epoch > apple?.epochMilliseconds ?? .min { apple = (epoch, apple?.isExact == true) }
        case .fetched(let date):
            apple = (date.millisecondsSince1970 - reading.uptimeMilliseconds, true)
            let difference = reading.wall.millisecondsSince1970 - date.millisecondsSince1970
            if abs(difference) <= Self.toleranceMilliseconds { reference = reading }
        }
    }

    /// Accepts an operator's word that the clock is right now; a fault by Apple's clock stays all the same.
    package mutating func believe(_ reading: ClockReading) {
        reference = reading
    }
}

extension AppleDate {
    /// Whether the date is from 1970 to 9999, so that no arithmetic with it overflows.
    fileprivate var isPlausible: Bool {
        switch self {
        case .signed(let date), .fetched(let date): (0...253_402_300_799_999).contains(date.millisecondsSince1970)
        }
    }
}

extension ClockReading {
    /// The time of day at an uptime of zero, in milliseconds since 1970: it changes only when the clock is set.
    fileprivate var epochMilliseconds: Int64 { wall.millisecondsSince1970 - uptimeMilliseconds }
}

/// A fault that makes the time of day useless for signing: a signature carries a timestamp that Apple judges.
package enum ClockFault: Equatable, Sendable, CustomStringConvertible {
    /// The time of day moved while the machine's uptime did not: by so many milliseconds, ahead above zero.
    case jumped(milliseconds: Int64)
    case behindApple(milliseconds: Int64)
    case aheadOfApple(milliseconds: Int64)

    var isJump: Bool { if case .jumped = self { true } else { false } }

    package var description: String {
        switch self {
        case .jumped(let milliseconds):
            "the clock jumped \(abs(milliseconds) / 1000) seconds \(milliseconds > 0 ? "ahead" : "back")"
                + " while the service ran; see that it is right, then reload (SIGHUP) or restart the service"
        case .behindApple(let milliseconds):
            "the clock is \(milliseconds / 1000) seconds behind Apple's; set it right"
        case .aheadOfApple(let milliseconds):
            "the clock is \(milliseconds / 1000) seconds ahead of Apple's; set it right"
        }
    }
}

/// The two clocks of a machine, read together.
package struct ClockReading: Equatable, Sendable {
    /// The time of day, which somebody can set.
    package let wall: Timestamp
    /// The time since the machine started, sleep included, which nobody can set, in milliseconds.
    package let uptimeMilliseconds: Int64

    package init(wall: Timestamp, uptimeMilliseconds: Int64) {
        self.wall = wall
        self.uptimeMilliseconds = uptimeMilliseconds
    }
}

/// The watch over the service's clock: evidence feeds it with Apple's dates, and readiness asks it.
package final class ClockMonitor: AppleClock {
    private let watch: Mutex<ClockWatch>
    private let read: @Sendable () -> ClockReading

    /// Begins to watch; `read` reads both clocks of the machine.
    package init(reading read: @escaping @Sendable () -> ClockReading) {
        self.read = read
        watch = Mutex(ClockWatch(read()))
    }

    package var fault: ClockFault? { watch.withLock { $0.judge(read()) } }

    /// The difference from Apple's clock: nothing is signed meanwhile.
    ///
    /// A jump that Apple has not judged is none.
    package var differenceFromApple: ClockFault? {
        guard let fault, !fault.isJump else { return nil }
        return fault
    }

    /// Records a date that Apple signed, or that was just fetched from Apple.
    package func observe(_ date: AppleDate) {
        watch.withLock { $0.observe(date, at: read()) }
    }

    /// Accepts an operator's word, by a reload, that the clock is right now.
    package func believe() {
        watch.withLock { $0.believe(read()) }
    }
}
