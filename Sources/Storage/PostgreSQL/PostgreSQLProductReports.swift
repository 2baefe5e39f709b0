import Dispatch
import Offers
import StrictJSON

/// Product reports in a PostgreSQL database, which several services may share.
///
/// Reports of one app are taken one after the other, under a lock, so that no service overwrites what another has seen.
/// Of one service no two calls are written at once, so that only one connection is busy with them.
struct PostgreSQLProductReports: Sendable {
    private let database: PostgreSQLDatabase
    private let writer = DispatchQueue(label: "product-reports.writer", qos: .utility)

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
        try await write { connection throws(PostgreSQLError) in
            let name = "offer-signer product reports\n\(bundleId)"
            let lock = AdvisoryLocks.takeUntilCommit([AdvisoryLocks.key(Array(name.utf8))])
            let count = PostgreSQLCall(ProductReportSQL.count, .text(bundleId))
            return try connection.transaction([lock, count]) { found throws(PostgreSQLError) in
                var room = SQLiteProductReports.mostEntries
                if let counted = found.last { room -= Int(try counted.integer(0, 0)) }
                var known = try Self.known(of: reports, in: bundleId, on: connection)
                var outcomes: [Bool] = []
                var changes: [PostgreSQLCall] = []
                for report in reports {
                    let key = Self.key(of: report)
                    guard let sightings = Self.note(report, in: known[key], at: moment, room: &room) else {
                        outcomes.append(false)
                        continue
                    }
                    known[key] = sightings
                    let body = PostgreSQLValue.text(String(decoding: sightings.json, as: UTF8.self))
                    changes.append(PostgreSQLCall(ProductReportSQL.put, Self.place(of: report, in: bundleId) + [body]))
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
        try await work { connection throws(PostgreSQLError) in
            let rows = try connection.run(
                PostgreSQLCall(ProductReportSQL.ofCountry, .text(bundleId), .text(country.alpha2))
            )
            var products: [ProductSightings] = []
            for row in rows.rows { products.append(try Self.sightings(try rows.text(row, 0), try rows.text(row, 1))) }
            return products
        }
    }

    func offersSeen(of bundleId: String) async throws(ProductReportStoreFailure) -> Set<OfferRequest> {
        try await work { connection throws(PostgreSQLError) in
            let rows = try connection.run(PostgreSQLCall(ProductReportSQL.offers, .text(bundleId)))
            var offers: Set<OfferRequest> = []
            for row in rows.rows {
                offers.insert(OfferRequest(productId: try rows.text(row, 0), offerId: try rows.text(row, 1)))
            }
            return offers
        }
    }

    /// What is known of the products of reports, read at once.
    private static func known(
        of reports: [ProductReport],
        in bundleId: String,
        on connection: PostgreSQLConnection
    ) throws(PostgreSQLError) -> [String: ProductSightings] {
        let first = Dictionary(reports.map { (key(of: $0), $0) }) { first, _ in first }
        let asked = Array(first)
        let answers = try connection.run(
            asked.map { PostgreSQLCall(ProductReportSQL.sightings, place(of: $0.value, in: bundleId)) }
        )
        var known: [String: ProductSightings] = [:]
        for ((key, report), rows) in zip(asked, answers) where rows.count > 0 {
            known[key] = try sightings(report.productId, try rows.text(0, 0))
        }
        return known
    }

    private static func key(of report: ProductReport) -> String { "\(report.country.alpha2) \(report.productId)" }

    private static func place(of report: ProductReport, in bundleId: String) -> [PostgreSQLValue] {
        [.text(bundleId), .text(report.country.alpha2), .text(report.productId)]
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

    /// Writes, when nobody else of this service does.
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) async throws(ProductReportStoreFailure) -> Value {
        let result: Result<Value, ProductReportStoreFailure> = await withCheckedContinuation { continuation in
            writer.async { [database] in
                do throws(StorageFailure) {
                    let value = try database.workWaiting(isRepeatable: false, body)
                    continuation.resume(returning: .success(value))
                } catch {
                    continuation.resume(returning: .failure(ProductReportStoreFailure(detail: error.detail)))
                }
            }
        }
        return try result.get()
    }

    private func work<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) async throws(ProductReportStoreFailure) -> Value {
        do throws(StorageFailure) {
            return try await database.work(body)
        } catch {
            throw ProductReportStoreFailure(detail: error.detail)
        }
    }
}
