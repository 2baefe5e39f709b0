/// The store of product reports could not be read or written.
public struct ProductReportStoreFailure: Error, Equatable {
    /// What failed, for a log: one sentence without secrets.
    public let detail: String

    /// Creates a failure.
    ///
    /// - Parameter detail: What failed.
    public init(detail: String) {
        self.detail = detail
    }
}
