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
}
