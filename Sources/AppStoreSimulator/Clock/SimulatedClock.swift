import Foundation
import Offers

/// The simulator's clock: the machine's, moved by a distance that can be changed.
struct SimulatedClock: Sendable {
    /// The clock stays between these moments, in which the simulator's certificates are valid.
    static let range =
        Timestamp(millisecondsSince1970: 1_577_836_800_000)...Timestamp(millisecondsSince1970: 2_240_611_200_000)

    /// How far the clock is ahead of the machine's, in milliseconds.
    private(set) var offset: Int64 = 0

    /// The moment that the clock shows.
    var now: Timestamp {
        Timestamp(millisecondsSince1970: Self.machine.millisecondsSince1970 + offset)
    }

    /// The moment that the machine's clock shows.
    static var machine: Timestamp { Timestamp(Date()) }

    /// Sets the clock; it runs on from there.
    ///
    /// - Parameter moment: The moment that it shows now.
    /// - Returns: Whether the moment is one that the clock can show, 2020 to 2040.
    mutating func set(to moment: Timestamp) -> Bool {
        guard Self.range.contains(moment) else { return false }
        offset = moment.millisecondsSince1970 - Self.machine.millisecondsSince1970
        return true
    }
}
