public import Offers

/// A place in the order of records by time.
public struct LedgerPlace: Equatable, Sendable {
    let time: Timestamp
    let writer: String
    let number: Int64

    /// The place before all records of a moment.
    ///
    /// - Parameter time: The moment.
    public init(before time: Timestamp) {
        self.time = time
        writer = ""
        number = 0
    }

    /// The place of a record.
    ///
    /// - Parameter record: The record.
    public init(of record: LedgerRecord) {
        time = record.time
        writer = record.writer
        number = record.number
    }
}
