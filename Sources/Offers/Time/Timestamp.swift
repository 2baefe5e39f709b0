/// A moment in milliseconds since 1970-01-01T00:00:00Z, the unit of StoreKit's and the App Store's wire formats.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public let millisecondsSince1970: Int64

    /// Creates the moment that many milliseconds after the start of 1970, in UTC.
    ///
    /// - Parameter millisecondsSince1970: Milliseconds; negative before 1970.
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Whether the left moment comes first.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// The moment that many milliseconds later (earlier when negative), held at the ends of the range.
    ///
    /// - Parameter milliseconds: Milliseconds to add.
    /// - Returns: The later moment.
    public func adding(milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        return Timestamp(millisecondsSince1970: overflow ? (milliseconds > 0 ? .max : .min) : sum)
    }

    /// The moment that many seconds later (earlier when negative), held at the ends of the range.
    ///
    /// - Parameter seconds: Whole seconds to add.
    /// - Returns: The later moment.
    public func adding(seconds: Int64) -> Timestamp {
        let (milliseconds, tooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        guard !tooLarge, !overflow else {
            return Timestamp(millisecondsSince1970: seconds > 0 ? .max : .min)
        }
        return Timestamp(millisecondsSince1970: sum)
    }

    /// The moment that many times 24 hours later (earlier when negative), held at the ends of the range.
    ///
    /// - Parameter days: Whole days to add.
    /// - Returns: The later moment.
    public func adding(days: Int) -> Timestamp {
        let (seconds, isTooLarge) = Int64(days).multipliedReportingOverflow(by: 86_400)
        return adding(seconds: isTooLarge ? (days > 0 ? .max : .min) : seconds)
    }
}
