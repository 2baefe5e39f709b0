extension Int {
    /// Adds a number, held at the ends of the range: a database may say anything, and no sum of it ends the process.
    ///
    /// - Parameter other: The number.
    public mutating func add(saturating other: Int) {
        let (sum, overflow) = addingReportingOverflow(other)
        self = overflow ? (other > 0 ? .max : .min) : sum
    }
}
