/// What became of product reports.
public struct ProductReportAnswer: Codable, Equatable, Sendable {
    /// A report that was not taken.
    public struct Rejection: Codable, Equatable, Sendable {
        /// Its place among the reports, from 0.
        public let index: Int
        /// The fault's name.
        public let code: String
        /// The fault in a sentence, after a JSON Pointer into the report where one member is at fault.
        public let detail: String
    }

    /// How many were taken.
    public let accepted: Int
    /// Which were not, and why.
    public let rejected: [Rejection]
}
