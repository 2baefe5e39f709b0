/// Where product reports are kept, per app, product and country: the port to storage.
public protocol ProductReportStore: Sendable {
    /// Keeps reports, in their order.
    ///
    /// - Parameters:
    ///   - reports: The reports.
    ///   - bundleId: The app that they are about.
    ///   - moment: When they came.
    /// - Returns: For each report whether it was kept; `false` when the app has no room for more products or offers.
    /// - Throws: ``ProductReportStoreFailure`` when nothing could be kept.
    func keep(
        _ reports: [ProductReport],
        of bundleId: String,
        at moment: Timestamp
    ) async throws(ProductReportStoreFailure) -> [Bool]

    /// What is known of an app's products in a country.
    ///
    /// - Parameters:
    ///   - bundleId: The app.
    ///   - country: The country.
    /// - Returns: The products, in no order that counts.
    /// - Throws: ``ProductReportStoreFailure`` when the store cannot be read.
    func products(
        of bundleId: String,
        in country: CountryCode
    ) async throws(ProductReportStoreFailure) -> [ProductSightings]

    /// The promotional offers of an app that any client was shown in any country.
    ///
    /// - Parameter bundleId: The app.
    /// - Returns: The offers.
    /// - Throws: ``ProductReportStoreFailure`` when the store cannot be read.
    func offersSeen(of bundleId: String) async throws(ProductReportStoreFailure) -> Set<OfferRequest>
}
