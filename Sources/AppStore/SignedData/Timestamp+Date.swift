import FoundationEssentials
import Offers

extension Timestamp {
    /// The moment of a `Date`, held at the ends of what milliseconds since 1970 can say exactly.
    ///
    /// - Parameter date: The date.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(millisecondsSince1970: Int64(min(max(milliseconds, -0x1p53), 0x1p53)))
    }

    /// The moment that many milliseconds later, held at the end of the range.
    ///
    /// - Parameter milliseconds: Milliseconds to add, 0 or more.
    /// - Returns: The later moment.
    func adding(milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        return Timestamp(millisecondsSince1970: overflow ? .max : sum)
    }
}
