/// How long a subscription's billing period lasts, or an offer on it.
///
/// A week is seven days and a year twelve months, so that periods of equal length are equal.
public enum SubscriptionPeriod: Hashable, Sendable {
    /// Days, at least one.
    case days(Int)
    /// Calendar months, at least one.
    case months(Int)

    /// The longest that is read: a hundred years.
    private static let mostUnits = 36_500

    /// Reads an ISO 8601 duration of one unit: `P3D`, `P1W`, `P6M`, `P1Y`.
    ///
    /// - Parameter text: The duration. Anything else gives `nil`.
    public init?(iso8601 text: String) {
        guard text.first == "P", let unit = text.last, let count = Int(text.dropFirst().dropLast()),
            text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }), (1...Self.mostUnits).contains(count)
        else { return nil }
        switch unit {
        case "D": self = .days(count)
        case "W": self = .days(7 * count)
        case "M": self = .months(count)
        case "Y": self = .months(12 * count)
        default: return nil
        }
    }

    /// The period as an ISO 8601 duration, in the largest unit that it fills.
    public var iso8601: String {
        switch self {
        case .days(let days): days % 7 == 0 ? "P\(days / 7)W" : "P\(days)D"
        case .months(let months): months % 12 == 0 ? "P\(months / 12)Y" : "P\(months)M"
        }
    }

    /// How many of the other period this one lasts; `nil` when that is no whole number.
    ///
    /// - Parameter other: The shorter period.
    /// - Returns: The number, at least 1.
    public func count(of other: SubscriptionPeriod) -> Int? {
        switch (self, other) {
        case (.days(let whole), .days(let part)), (.months(let whole), .months(let part)):
            whole % part == 0 ? whole / part : nil
        default: nil
        }
    }
}
