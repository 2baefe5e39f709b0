public import Offers

/// Product reports on durable storage, in the database that the ledger is in.
public struct DurableProductReports: ProductReportStore {
    private enum Store {
        case sqlite(SQLiteProductReports)
        case postgreSQL(PostgreSQLProductReports)
    }

    private let store: Store

    /// Opens the product reports of an SQLite file.
    ///
    /// - Parameter database: The file.
    public init(in database: SQLiteDatabase) {
        store = .sqlite(SQLiteProductReports(in: database))
    }

    /// Opens the product reports of a PostgreSQL database, which other services may share.
    ///
    /// - Parameter database: The database.
    public init(in database: PostgreSQLDatabase) {
        store = .postgreSQL(PostgreSQLProductReports(in: database))
    }

    /// Keeps reports, in their order; when this returns, they are on durable storage.
    ///
    /// - Parameters:
    ///   - reports: The reports.
    ///   - bundleId: The app that they are about: one of the catalog, as their number is not bounded here.
    ///   - moment: When they came.
    /// - Returns: For each report whether it was kept.
    /// - Throws: `ProductReportStoreFailure` when nothing could be kept.
    public func keep(
        _ reports: [ProductReport],
        of bundleId: String,
        at moment: Timestamp
    ) async throws(ProductReportStoreFailure) -> [Bool] {
        switch store {
        case .sqlite(let store): try await store.keep(reports, of: bundleId, at: moment)
        case .postgreSQL(let store): try await store.keep(reports, of: bundleId, at: moment)
        }
    }

    /// What is known of an app's products in a country.
    ///
    /// - Parameters:
    ///   - bundleId: The app.
    ///   - country: The country.
    /// - Returns: The products, in no order that counts.
    /// - Throws: `ProductReportStoreFailure` when the store cannot be read.
    public func products(
        of bundleId: String,
        in country: CountryCode
    ) async throws(ProductReportStoreFailure) -> [ProductSightings] {
        switch store {
        case .sqlite(let store): try await store.products(of: bundleId, in: country)
        case .postgreSQL(let store): try await store.products(of: bundleId, in: country)
        }
    }

    /// The promotional offers of an app that any client was shown in any country.
    ///
    /// - Parameter bundleId: The app.
    /// - Returns: The offers.
    /// - Throws: `ProductReportStoreFailure` when the store cannot be read.
    public func offersSeen(of bundleId: String) async throws(ProductReportStoreFailure) -> Set<OfferRequest> {
        switch store {
        case .sqlite(let store): try await store.offersSeen(of: bundleId)
        case .postgreSQL(let store): try await store.offersSeen(of: bundleId)
        }
    }
}
