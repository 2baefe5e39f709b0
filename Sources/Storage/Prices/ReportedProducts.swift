package import Offers

/// Some reports of one call.
///
/// Those of one app are stored under a lock of its own, so that no service overwrites what another has seen.
struct ReportedProducts: Sendable {
    /// How many products in countries are stored for one app: fifty products in every country.
    static let mostEntries = 10_000
    /// How many reports one commit takes of a call: signatures wait for it meanwhile.
    static let most = 50

    let reports: [ProductReport]
    let bundleId: String
    let moment: Timestamp
    /// The app's row of ``LockRows``.
    let lock: Int64

    init(_ reports: [ProductReport], of bundleId: String, at moment: Timestamp) {
        self.reports = reports
        self.bundleId = bundleId
        self.moment = moment
        lock = LockRows.row(of: Array("offer-signer product reports\n\(bundleId)".utf8))
    }
}

extension Journal: ProductReportStore {
    package func save(
        _ reports: [ProductReport],
        of bundleId: String,
        at moment: Timestamp
    ) async throws(StorageFailure) -> [Bool] {
        var all: [Bool] = []
        for start in stride(from: 0, to: reports.count, by: ReportedProducts.most) {
            let some = Array(reports[start..<min(start + ReportedProducts.most, reports.count)])
            let entry = JournalEntry.reports(ReportedProducts(some, of: bundleId, at: moment))
            guard case .reports(let stored) = try await outcome(of: entry) else { throw .malformed("outcome") }
            all += stored
        }
        return all
    }

    package func products(
        of bundleId: String,
        in country: CountryCode
    ) async throws(StorageFailure) -> [ObservedProduct] {
        try await store.database.products(of: bundleId, in: country)
    }

    package func offersSeen(of bundleId: String) async throws(StorageFailure) -> Set<OfferRequest> {
        try await store.database.offersSeen(of: bundleId)
    }
}

extension SQLDatabase {
    /// The reported prices and offers of an app's products in a country.
    package func products(
        of bundleId: String,
        in country: CountryCode
    ) async throws(StorageFailure) -> [ObservedProduct] {
        try await answer { session throws(StorageFailure) in
            let rows = try session.run(ProductReportSQL.ofCountry, .text(bundleId), .text(country.alpha2))
            return try rows.rows.map { row throws(StorageFailure) in
                try ObservedProduct(try rows.text(row, 0), stored: try rows.text(row, 1))
            }
        }
    }

    /// The promotional offers of an app that any client was shown in any country.
    package func offersSeen(of bundleId: String) async throws(StorageFailure) -> Set<OfferRequest> {
        try await answer { session throws(StorageFailure) in
            let rows = try session.run(ProductReportSQL.offers, .text(bundleId))
            return Set(
                try rows.rows.map { row throws(StorageFailure) in
                    OfferRequest(productId: try rows.text(row, 0), offerId: try rows.text(row, 1))
                }
            )
        }
    }
}

extension Session {
    /// Stores reports, in their order; `false` stands for one that the app has no room for.
    func store(_ call: ReportedProducts) throws(StorageFailure) -> [Bool] {
        let (reports, bundleId, moment) = (call.reports, call.bundleId, call.moment)
        var room = ReportedProducts.mostEntries
        room -= Int(try run(ProductReportSQL.count, .text(bundleId)).integer(0, 0))
        var known = try known(of: reports, in: bundleId)
        var outcomes: [Bool] = []
        for report in reports {
            var observed = known[report.place]
            observed?.record(report, at: moment)
            let isStored = report.offers.count <= ObservedProduct.mostOffers && (observed != nil || room > 0)
            outcomes.append(isStored)
            guard isStored else { continue }
            if observed == nil { room -= 1 }
            let noted = observed ?? ObservedProduct(report, at: moment)
            known[report.place] = noted
            let body = SQLValue.text(try noted.stored())
            try send(SQLCall(ProductReportSQL.put, report.values(in: bundleId) + [body]))
            for offerId in report.offers.compactMap(\.name.offerId) {
                let offer = [SQLValue.text(bundleId), .text(report.productId), .text(offerId)]
                try send(SQLCall(ProductReportSQL.putOffer, offer))
            }
        }
        return outcomes
    }

    /// The known prices and offers of reported products, read at once.
    private func known(
        of reports: [ProductReport],
        in bundleId: String
    ) throws(StorageFailure) -> [String: ObservedProduct] {
        let asked = Dictionary(reports.map { ($0.place, $0) }) { first, _ in first }.map(\.value)
        let answers = try run(asked.map { SQLCall(ProductReportSQL.product, $0.values(in: bundleId)) })
        var known: [String: ObservedProduct] = [:]
        for (report, rows) in zip(asked, answers) where rows.count > 0 {
            known[report.place] = try ObservedProduct(report.productId, stored: try rows.text(0, 0))
        }
        return known
    }
}

extension ProductReport {
    fileprivate var place: String { "\(country.alpha2) \(productId)" }

    fileprivate func values(in bundleId: String) -> [SQLValue] {
        [.text(bundleId), .text(country.alpha2), .text(productId)]
    }
}

/// The SQL of product reports, plain for SQLite and PostgreSQL alike.
enum ProductReportSQL {
    static let product =
        "SELECT body FROM product_sightings WHERE bundle_id = $1 AND country = $2 AND product_id = $3"

    static let ofCountry =
        "SELECT product_id, body FROM product_sightings WHERE bundle_id = $1 AND country = $2 ORDER BY product_id"

    static let count = "SELECT COUNT(*) FROM product_sightings WHERE bundle_id = $1"

    static let put =
        "INSERT INTO product_sightings (bundle_id, country, product_id, body) VALUES ($1, $2, $3, $4) "
        + "ON CONFLICT (bundle_id, country, product_id) DO UPDATE SET body = excluded.body"

    /// A product has up to 1000 offers here, more than anybody runs campaigns for.
    static let putOffer =
        "INSERT INTO offers_seen (bundle_id, product_id, offer_id) SELECT $1, $2, $3 "
        + "WHERE (SELECT COUNT(*) FROM offers_seen WHERE bundle_id = $1 AND product_id = $2) < 1000 "
        + "ON CONFLICT (bundle_id, product_id, offer_id) DO NOTHING"

    static let offers = "SELECT product_id, offer_id FROM offers_seen WHERE bundle_id = $1"
}
