public import Offers

/// Why reports were not taken, or nothing can be told.
public enum ProductReportFault: Error, Equatable {
    /// The catalog does not have the app.
    case unknownApp(bundleId: String)
    /// The store failed.
    case store(ProductReportStoreFailure)
}
