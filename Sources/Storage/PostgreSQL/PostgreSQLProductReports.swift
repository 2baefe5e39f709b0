import Offers
import StrictJSON

/// Product reports in a PostgreSQL database, which several services may share.
///
/// Reports of one app are taken one after the other, under a lock, so that no service overwrites what another has seen.
struct PostgreSQLProductReports: Sendable {
    private let database: PostgreSQLDatabase

    /// Uses a database.
    ///
    /// - Parameter database: The database.
    init(in database: PostgreSQLDatabase) {
        self.database = database
    }

    func keep(
        _ reports: [ProductReport],
        of bundleId: String,
        at moment: Timestamp
    ) async throws(ProductReportStoreFailure) -> [Bool] {
        // Counted twice where the connection breaks: so it is not done again by itself.
        try await work(isRepeatable: false) { connection throws(PostgreSQLError) in
            let name = "offer-signer product reports\n\(bundleId)"
            let lock = AdvisoryLocks.takeUntilCommit([AdvisoryLocks.key(Array(name.utf8))])
            let count = PostgreSQLCall(ProductReportSQL.count, .text(bundleId))
            return try connection.transaction([lock, count]) { found throws(PostgreSQLError) in
                var room = SQLiteProductReports.mostEntries
                if let counted = found.last { room -= Int(try counted.integer(0, 0)) }
                var known: [String: ProductSightings] = [:]
                var outcomes: [Bool] = []
                var changes: [PostgreSQLCall] = []
                for report in reports {
                    let country = report.country.alpha2
                    let key = "\(country) \(report.productId)"
                    let place: [PostgreSQLValue] = [.text(bundleId), .text(country), .text(report.productId)]
                    if known[key] == nil {
                        let rows = try connection.run(PostgreSQLCall(ProductReportSQL.sightings, place))
                        if rows.count > 0 { known[key] = try Self.sightings(report.productId, try rows.text(0, 0)) }
                    }
                    guard let sightings = Self.note(report, in: known[key], at: moment, room: &room) else {
                        outcomes.append(false)
                        continue
                    }
                    known[key] = sightings
                    let body = PostgreSQLValue.text(String(decoding: sightings.json, as: UTF8.self))
                    changes.append(PostgreSQLCall(ProductReportSQL.put, place + [body]))
                    for offerId in report.offers.compactMap(\.name.offerId) {
                        changes.append(
                            PostgreSQLCall(
                                ProductReportSQL.putOffer,
                                .text(bundleId),
                                .text(report.productId),
                                .text(offerId)
                            )
                        )
                    }
                    outcomes.append(true)
                }
                return (outcomes, changes)
            }
        }
    }

    func products(
        of bundleId: String,
        in country: CountryCode
    ) async throws(ProductReportStoreFailure) -> [ProductSightings] {
        try await work(isRepeatable: true) { connection throws(PostgreSQLError) in
            let rows = try connection.run(
                PostgreSQLCall(ProductReportSQL.ofCountry, .text(bundleId), .text(country.alpha2))
            )
            var products: [ProductSightings] = []
            for row in rows.rows { products.append(try Self.sightings(try rows.text(row, 0), try rows.text(row, 1))) }
            return products
        }
    }

    func offersSeen(of bundleId: String) async throws(ProductReportStoreFailure) -> Set<OfferRequest> {
        try await work(isRepeatable: true) { connection throws(PostgreSQLError) in
            let rows = try connection.run(PostgreSQLCall(ProductReportSQL.offers, .text(bundleId)))
            var offers: Set<OfferRequest> = []
            for row in rows.rows {
                offers.insert(OfferRequest(productId: try rows.text(row, 0), offerId: try rows.text(row, 1)))
            }
            return offers
        }
    }

    /// What is known of a product once a report is counted; `nil` when there is no room for it.
    private static func note(
        _ report: ProductReport,
        in known: ProductSightings?,
        at moment: Timestamp,
        room: inout Int
    ) -> ProductSightings? {
        guard report.offers.count <= ProductSightings.mostOffers else { return nil }
        if var known {
            known.note(report, at: moment)
            return known
        }
        guard room > 0 else { return nil }
        room -= 1
        return ProductSightings(report, at: moment)
    }

    private static func sightings(
        _ productId: String,
        _ body: String
    ) throws(PostgreSQLError) -> ProductSightings {
        do {
            return try ProductSightings(productId, json: Array(body.utf8))
        } catch {
            throw PostgreSQLError(.unexpectedAnswer, "what is known of a product cannot be read: \(error.detail)")
        }
    }

    private func work<Value: Sendable>(
        isRepeatable: Bool,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) async throws(ProductReportStoreFailure) -> Value {
        do throws(StorageFailure) {
            return try await database.work(isRepeatable: isRepeatable, body)
        } catch {
            throw ProductReportStoreFailure(detail: error.detail)
        }
    }
}
