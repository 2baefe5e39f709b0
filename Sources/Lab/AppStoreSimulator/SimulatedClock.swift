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

    /// Sets the clock, which runs on from there; `false` for a moment that it cannot show.
    mutating func set(to moment: Timestamp) -> Bool {
        guard Self.range.contains(moment) else { return false }
        offset = moment.millisecondsSince1970 - Self.machine.millisecondsSince1970
        return true
    }
}

extension Timestamp {
    static let day: Int64 = 86400

    init(_ date: Date) {
        self.init(millisecondsSince1970: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }

    /// Reads an RFC 3339 moment such as `2026-01-20T10:00:00Z`.
    init?(rfc3339 text: String) {
        guard let date = try? Date.ISO8601FormatStyle().parse(text) else { return nil }
        self.init(date)
    }

    var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }

    /// The moment that is this share of the way to another.
    func towards(_ other: Timestamp, percent: Int64) -> Timestamp {
        let distance = other.millisecondsSince1970 - millisecondsSince1970
        return Timestamp(millisecondsSince1970: millisecondsSince1970 + distance / 100 * percent)
    }
}
