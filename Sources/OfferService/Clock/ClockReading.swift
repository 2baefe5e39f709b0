public import Offers

/// The two clocks of a machine, read together.
public struct ClockReading: Equatable, Sendable {
    /// The time of day, which somebody can set.
    public let wall: Timestamp
    /// The time since the machine started, sleep included, which nobody can set, in milliseconds.
    public let uptimeMilliseconds: Int64

    /// Creates a reading.
    ///
    /// - Parameters:
    ///   - wall: The time of day.
    ///   - uptimeMilliseconds: The time since the machine started, in milliseconds.
    public init(wall: Timestamp, uptimeMilliseconds: Int64) {
        self.wall = wall
        self.uptimeMilliseconds = uptimeMilliseconds
    }
}
