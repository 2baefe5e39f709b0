import Dispatch
import GRDB
public import Offers
import StrictJSON

/// Product reports in an SQLite file: what clients reported outlives the process.
public final class SQLiteProductReports: ProductReportStore {
    /// How many products in countries are kept for one app: fifty products in every country.
    public static let mostEntries = 10_000

    private let database: SQLiteDatabase
    private let queue = DispatchQueue(label: "product-reports", qos: .utility)

    /// Uses a file.
    ///
    /// - Parameter database: The file.
    public init(in database: SQLiteDatabase) {
        self.database = database
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
        try await onQueue { (database) throws(StorageFailure) in
            try database.write { database in
                var room =
                    Self.mostEntries
                    - (try Int.fetchOne(
                        database,
                        sql: ProductReportSQL.count,
                        arguments: [bundleId]
                    ) ?? 0)
                return try reports.map { try database.keep($0, of: bundleId, at: moment, room: &room) }
            }
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
        try await onQueue { (database) throws(StorageFailure) in
            try database.read { database in
                try Row.fetchAll(database, sql: ProductReportSQL.ofCountry, arguments: [bundleId, country.alpha2])
                    .map { try ProductSightings.read($0.value("product_id"), $0.value("body")) }
            }
        }
    }

    /// The promotional offers of an app that any client was shown in any country.
    ///
    /// - Parameter bundleId: The app.
    /// - Returns: The offers.
    /// - Throws: `ProductReportStoreFailure` when the store cannot be read.
    public func offersSeen(of bundleId: String) async throws(ProductReportStoreFailure) -> Set<OfferRequest> {
        try await onQueue { (database) throws(StorageFailure) in
            try database.read { database in
                Set(
                    try Row.fetchAll(database, sql: ProductReportSQL.offers, arguments: [bundleId])
                        .map { try OfferRequest(productId: $0.value("product_id"), offerId: $0.value("offer_id")) }
                )
            }
        }
    }

    /// Works with the file on a thread that may wait.
    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable (SQLiteDatabase) throws(StorageFailure) -> Value
    ) async throws(ProductReportStoreFailure) -> Value {
        let result: Result<Value, ProductReportStoreFailure> = await withCheckedContinuation { continuation in
            queue.async { [database] in
                do throws(StorageFailure) {
                    continuation.resume(returning: .success(try work(database)))
                } catch {
                    continuation.resume(returning: .failure(ProductReportStoreFailure(detail: error.detail)))
                }
            }
        }
        return try result.get()
    }
}

extension Database {
    fileprivate func keep(
        _ report: ProductReport,
        of bundleId: String,
        at moment: Timestamp,
        room: inout Int
    ) throws -> Bool {
        guard report.offers.count <= ProductSightings.mostOffers else { return false }
        let country = report.country.alpha2
        let known = try String.fetchOne(
            cachedStatement(sql: ProductReportSQL.sightings),
            arguments: [bundleId, country, report.productId]
        )
        var sightings: ProductSightings
        if let known {
            sightings = try ProductSightings.read(report.productId, known)
            sightings.note(report, at: moment)
        } else {
            guard room > 0 else { return false }
            room -= 1
            sightings = ProductSightings(report, at: moment)
        }
        try cachedStatement(sql: ProductReportSQL.put).execute(
            arguments: [bundleId, country, report.productId, String(decoding: sightings.json, as: UTF8.self)]
        )
        for offerId in report.offers.compactMap(\.name.offerId) {
            try cachedStatement(sql: ProductReportSQL.putOffer).execute(arguments: [
                bundleId, report.productId, offerId,
            ])
        }
        return true
    }
}

extension ProductSightings {
    fileprivate static func read(_ productId: String, _ body: String) throws -> ProductSightings {
        do {
            return try ProductSightings(productId, json: Array(body.utf8))
        } catch {
            throw StorageFailure(.malformed, "what is known of a product cannot be read: \(error.detail)")
        }
    }
}
