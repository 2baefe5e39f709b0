public import Offers
import Synchronization

/// The watch over the service's clock, which evidence of Apple's clock is fed to and readiness is asked of.
public final class ClockMonitor: AppleClock {
    private let watch: Mutex<ClockWatch>
    private let read: @Sendable () -> ClockReading

    /// Begins to watch.
    ///
    /// - Parameter read: Reads both clocks of the machine.
    public init(reading read: @escaping @Sendable () -> ClockReading) {
        self.read = read
        watch = Mutex(ClockWatch(read()))
    }

    /// What is wrong with the clock now; `nil` when nothing is.
    public var fault: ClockFault? { watch.withLock { $0.judge(read()) } }

    /// Takes note of Apple's clock.
    ///
    /// - Parameter date: What Apple signed, or what was fetched from Apple this moment.
    public func observe(_ date: AppleDate) {
        watch.withLock { $0.observe(date, at: read()) }
    }

    /// Takes an operator's word, given by a reload, that the clock is right now.
    public func believe() {
        watch.withLock { $0.believe(read()) }
    }
}
