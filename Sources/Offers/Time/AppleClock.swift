/// Who wants to know Apple's clock: the port between evidence and the watch over the service's own clock.
public protocol AppleClock: Sendable {
    /// Takes note of a date.
    ///
    /// - Parameter date: The date.
    func observe(_ date: AppleDate)
}
