package import Offers
import Synchronization

/// Judges the time of day by the machine's uptime and by Apple's clock; a value without a clock of its own.
///
/// Apple's clock counts against ours when two of its answers agree: one server with a wrong clock stops nobody.
package struct ClockWatch: Sendable {
    /// The tolerated error of the clock, in milliseconds; it is also the tolerance for dates of evidence.
    package static var toleranceMilliseconds: Int64 { ClockSkew.toleratedSeconds * 1000 }

    /// The time over which small steps add up, in milliseconds: an hour.
    ///
    /// Without an end to it, a year of leap seconds and paused virtual machines would count as one jump.
    package static var memoryMilliseconds: Int64 { 3_600_000 }

    /// The time after which a date of Apple's is forgotten, in milliseconds: with Apple out of reach it ends a fault.
    package static var lifetimeMilliseconds: Int64 { 600_000 }

    /// How far two answers may be apart and agree, in milliseconds: each may have been under way for a while.
    private static var agreementMilliseconds: Int64 { 60_000 }

    /// A date of Apple's, as the time of day at an uptime of zero, in milliseconds since 1970.
    private struct AppleReading {
        let epochMilliseconds: Int64
        let uptimeMilliseconds: Int64
        /// Whether another answer agrees with it.
        var isConfirmed = false

        init(_ date: Timestamp, at reading: ClockReading) {
            epochMilliseconds = date.millisecondsSince1970 - reading.uptimeMilliseconds
            uptimeMilliseconds = reading.uptimeMilliseconds
        }

        func agrees(with other: AppleReading) -> Bool {
            abs(epochMilliseconds - other.epochMilliseconds) <= ClockWatch.agreementMilliseconds
        }

        func isFresh(at reading: ClockReading) -> Bool {
            reading.uptimeMilliseconds - uptimeMilliseconds <= ClockWatch.lifetimeMilliseconds
        }

        /// How far a clock is ahead of it.
        func milliseconds(behind reading: ClockReading) -> Int64 { reading.epochMilliseconds - epochMilliseconds }

        func fault(of reading: ClockReading) -> ClockFault? {
            let ahead = milliseconds(behind: reading)
            if ahead < -ClockWatch.toleranceMilliseconds { return .behindApple(milliseconds: -ahead) }
            return ahead > ClockWatch.toleranceMilliseconds ? .aheadOfApple(milliseconds: ahead) : nil
        }
    }

    /// The last reading at which the clock is known to have been in order.
    private var reference: ClockReading
    /// Apple's last answer that was right, or that another one agreed with.
    private var answer: AppleReading?
    /// An answer that differs from the clock, and that no other one has agreed with yet.
    private var doubtful: AppleReading?
    /// The latest date that Apple signed: its clock shows this much or more.
    private var signed: AppleReading?
    private var doubts = 0
    /// Whether Apple's clock has to be asked, since an operator answered for a clock that differed from it.
    private var isToBeAsked = false

    /// Begins to watch with a reading that is believed.
    package init(_ reading: ClockReading) {
        reference = reading
    }

    /// The number of the doubt that Apple's clock is to be asked about; `nil` for none.
    package var doubt: Int? { doubtful != nil || isToBeAsked ? doubts : nil }

    /// Judges the clock; `nil` for no fault.
    ///
    /// A jump stays until the clock has come back, Apple's clock confirms it, or an operator answers for it
    /// (``believe(_:)``).
    package mutating func judge(_ reading: ClockReading) -> ClockFault? {
        forget(at: reading)
        if let answer {
            let fault = answer.fault(of: reading)
            if answer.isConfirmed, let fault { return fault }
            // Apple has judged it.
            if fault == nil { reference = reading }
        } else if doubtful == nil, let fault = signed?.fault(of: reading), case .behindApple = fault {
            // An answer is exact, and outranks what Apple signed at some time.
            return fault
        }
        let jump = reading.epochMilliseconds - reference.epochMilliseconds
        if abs(jump) > Self.toleranceMilliseconds { return .jumped(milliseconds: jump) }
        let age = reading.uptimeMilliseconds - reference.uptimeMilliseconds
        if age > Self.memoryMilliseconds { reference = reading }
        return nil
    }

    /// The fault of the clock, or the one that it may have by a single date of Apple's.
    package mutating func suspicion(_ reading: ClockReading) -> ClockFault? {
        if let fault = judge(reading) { return fault }
        if let fault = doubtful?.fault(of: reading) { return fault }
        guard case .behindApple(let milliseconds) = signed?.fault(of: reading) else { return nil }
        return .behindApple(milliseconds: milliseconds)
    }

    package mutating func observe(_ date: AppleDate, at reading: ClockReading) {
        guard date.isPlausible else { return }
        forget(at: reading)
        switch date {
        case .signed(let date):
            let shown = AppleReading(date, at: reading)
            if shown.epochMilliseconds > signed?.epochMilliseconds ?? .min { signed = shown }
        case .fetched(let date, let asked): observe(AppleReading(date, at: reading), about: asked, at: reading)
        }
    }

    private mutating func observe(_ shown: AppleReading, about asked: Int?, at reading: ClockReading) {
        var shown = shown
        shown.isConfirmed = answer?.agrees(with: shown) == true
        let isRight = shown.fault(of: reading) == nil
        // Asked for after the doubt arose, and of a connection of its own: it is another answer.
        if !isRight, let asked, asked == doubts, doubtful?.agrees(with: shown) == true { shown.isConfirmed = true }
        if isRight || shown.isConfirmed {
            (answer, doubtful) = (shown, nil)
            if isRight { reference = reading }
        } else if doubtful?.agrees(with: shown) != true {
            doubtful = shown
            doubts += 1
        }
        isToBeAsked = false
    }

    private mutating func forget(at reading: ClockReading) {
        if answer?.isFresh(at: reading) == false { answer = nil }
        if doubtful?.isFresh(at: reading) == false { doubtful = nil }
        if signed?.isFresh(at: reading) == false { signed = nil }
    }

    /// Accepts an operator's word that the clock is right now: what Apple's clock showed is forgotten, and asked again.
    package mutating func believe(_ reading: ClockReading) {
        isToBeAsked = suspicion(reading) != nil
        if isToBeAsked { doubts += 1 }
        (answer, doubtful, signed) = (nil, nil, nil)
        reference = reading
    }
}

extension AppleDate {
    /// Whether the date is from 1970 to 9999, so that no arithmetic with it overflows.
    fileprivate var isPlausible: Bool {
        switch self {
        case .signed(let date), .fetched(let date, _): (0...253_402_300_799_999).contains(date.millisecondsSince1970)
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

    /// The fault of the clock, or the one that it may have by a single date of Apple's, which refuses nobody.
    package var suspicion: ClockFault? { watch.withLock { $0.suspicion(read()) } }

    package var doubt: Int? { watch.withLock { $0.doubt } }

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
