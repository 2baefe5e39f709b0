package import Offers

/// The redemptions of an app in the order in which they became known, for a backend that reads them page by page.
///
/// Each addition changes the number of the last one, in the same transaction: the next one waits for that commit, so
/// that none is found before a lower one.
enum RedemptionFeedSQL {
    /// Before it, a row did not say who showed the redemption: a client's answer never has a price.
    static let migration = Migration(
        "redemption feed",
        [
            "ALTER TABLE redemptions ADD COLUMN begins TEXT", "ALTER TABLE redemptions ADD COLUMN source TEXT",
            "ALTER TABLE redemptions ADD COLUMN position BIGINT",
            """
            UPDATE redemptions SET position = numbered.place, begins = 'now',
                source = CASE WHEN price IS NULL THEN 'receiptResponse' ELSE 'apple' END
            FROM (SELECT bundle_id AS app, environment AS kind, original_transaction_id AS subscription,
                transaction_id AS purchase, ROW_NUMBER() OVER (ORDER BY COALESCE(redeemed_at, 0), bundle_id,
                    environment, original_transaction_id, transaction_id) AS place FROM redemptions) AS numbered
            WHERE bundle_id = numbered.app AND environment = numbered.kind
                AND original_transaction_id = numbered.subscription AND transaction_id = numbered.purchase
            """,
            "CREATE INDEX redemptions_position ON redemptions (bundle_id, position)",
            "CREATE TABLE redemption_feed (id BIGINT NOT NULL PRIMARY KEY, last BIGINT NOT NULL)",
            "INSERT INTO redemption_feed (id, last) SELECT 1, COALESCE(MAX(position), 0) FROM redemptions",
        ]
    )

    /// Since it, a row says when it was stored; of those before it the redemption's own time stands for that.
    static let storedAt = Migration(
        "redemption times",
        [
            "ALTER TABLE redemptions ADD COLUMN stored_at BIGINT",
            "UPDATE redemptions SET stored_at = COALESCE(redeemed_at, 0)",
            "CREATE INDEX redemptions_stored ON redemptions (bundle_id, stored_at, position)",
        ]
    )

    /// The first position of an app's rows that were stored since a moment, and the last position of all.
    ///
    /// The clocks of services differ: the row with the lowest position need not have the earliest time.
    static let firstSince =
        "SELECT (SELECT MIN(position) FROM redemptions WHERE bundle_id = $1 AND stored_at >= $2) AS first, last "
        + "FROM redemption_feed WHERE id = 1"

    static let next = "UPDATE redemption_feed SET last = last + 1 WHERE id = 1 RETURNING last"

    static let last = "SELECT last FROM redemption_feed WHERE id = 1"

    /// The nonce is that of the signature that made it possible, while its record is kept.
    private static let entries =
        "SELECT redemptions.position, redemptions.offer_id, redemptions.product_id, redemptions.environment, "
        + "redemptions.original_transaction_id, redemptions.transaction_id, redemptions.redeemed_at, redemptions.begins, "
        + "redemptions.price, redemptions.currency, redemptions.storefront, ledger_records.nonce, redemptions.source "
        + "FROM redemptions LEFT JOIN ledger_records ON ledger_records.writer = redemptions.signed_writer "
        + "AND ledger_records.number = redemptions.signed_number "

    static let page =
        entries
        + "WHERE redemptions.bundle_id = $1 AND redemptions.position > $2 ORDER BY redemptions.position LIMIT $3"

    static let ofSubscription =
        entries + "WHERE redemptions.bundle_id = $1 AND redemptions.environment = $2 "
        + "AND redemptions.original_transaction_id = $3"

    static let ofSignature = entries + "WHERE redemptions.signed_writer = $1 AND redemptions.signed_number = $2"
}

/// The stored redemptions of apps, which several services may write.
package struct DurableRedemptions: RedemptionStore {
    private let database: any SQLDatabase

    package init(_ database: any SQLDatabase) { self.database = database }

    package func redemptions(
        of bundleId: String,
        after position: Int64,
        limit: Int
    ) async throws(StorageFailure) -> [FeedEntry]? {
        let answers = try await database.answer { session throws(StorageFailure) in
            // The page first: what is added meanwhile only raises the last position.
            try session.run([
                SQLCall(RedemptionFeedSQL.page, .text(bundleId), .integer(position), .integer(Int64(limit))),
                SQLCall(RedemptionFeedSQL.last),
            ])
        }
        guard answers.count == 2, answers[1].count > 0 else { throw .malformed("redemption_feed") }
        guard try position <= answers[1].integer(0, 0) else { return nil }
        return try answers[0].rows.map { row throws(StorageFailure) in try answers[0].feedEntry(row) }
    }
}

extension DurableRedemptions {
    package func position(of bundleId: String, before since: Timestamp) async throws(StorageFailure) -> Int64 {
        try await database.answer { session throws(StorageFailure) in
            let rows = try session.run(RedemptionFeedSQL.firstSince, .text(bundleId), .time(since))
            guard rows.count > 0 else { throw .malformed("redemption_feed") }
            if let first = try rows.optionalInteger(0, 0) { return first - 1 }
            return try rows.integer(0, 1)
        }
    }
}

extension Rows {
    func feedEntry(_ row: Int) throws(StorageFailure) -> FeedEntry {
        let transactionId = try text(row, 5)
        guard let environment = AppStoreEnvironment(rawValue: try text(row, 3)) else { throw .malformed("environment") }
        return FeedEntry(
            position: try integer(row, 0),
            redemption: OfferRedemption(
                originalTransactionId: try text(row, 4),
                transactionId: RedemptionKey.isOfTransaction(transactionId) ? transactionId : nil,
                productId: try text(row, 2),
                subscriptionGroupIdentifier: nil,
                offerId: try text(row, 1),
                redeemedAt: try optionalTime(row, 6),
                price: try price(row, from: 8),
                storefront: try optionalText(row, 10),
                webOrderLineItemId: nil,
                begins: try optionalText(row, 7).flatMap(OfferRedemption.Begins.init) ?? .now,
                source: try optionalText(row, 12).flatMap(OfferRedemption.Source.init) ?? .apple
            ),
            environment: environment,
            nonce: try optionalText(row, 11)
        )
    }
}

/// The key of a redemption among those of its subscription: its first transaction.
enum RedemptionKey {
    /// That of an offer which waits for its renewal begins with a space, as no identifier of Apple's does.
    static func text(of redemption: OfferRedemption) -> String {
        if redemption.transactionId == nil, redemption.begins == .nextRenewal {
            return " \(redemption.redeemedAt?.millisecondsSince1970 ?? 0) \(redemption.offerId)"
        }
        return redemption.transactionId ?? ""
    }

    static func isWaiting(_ key: String) -> Bool { key.hasPrefix(" ") }

    static func isOfTransaction(_ key: String) -> Bool { !key.isEmpty && !isWaiting(key) }
}

/// A redemption's place in the feed, and when it was stored first.
struct FeedPlace {
    let position: Int64
    let storedAt: Int64?
}

/// The places that a subscription's redemptions had in the feed: what was listed once keeps its own.
struct FeedPlaces {
    private struct Row {
        let key: String
        let offerId: String
        let item: String?
        let place: FeedPlace
    }

    private var rows: [Row]

    /// Takes the rows that ``RedemptionSQL/delete`` gives back.
    init(_ deleted: Rows) throws(StorageFailure) {
        var rows: [Row] = []
        for row in deleted.rows {
            guard let position = try deleted.optionalInteger(row, 3) else { continue }
            rows.append(
                Row(
                    key: try deleted.text(row, 0),
                    offerId: try deleted.text(row, 1),
                    item: try deleted.optionalText(row, 2),
                    place: FeedPlace(position: position, storedAt: try deleted.optionalInteger(row, 4))
                )
            )
        }
        self.rows = rows.sorted { $0.place.position < $1.place.position }
    }

    /// Removes and returns the place of each redemption that was listed; `nil` for a new one.
    ///
    /// One that waited for its renewal is known by its offer once that has come, of what no other is known by.
    mutating func removePlaces(of redemptions: [OfferRedemption]) -> [FeedPlace?] {
        var places = redemptions.map { redemption in
            let key = RedemptionKey.text(of: redemption)
            return remove { $0.key == key } ?? remove { $0.item != nil && $0.item == redemption.webOrderLineItemId }
        }
        for (index, redemption) in redemptions.enumerated() where redemption.begins == .nextRenewal {
            guard places[index] == nil else { continue }
            places[index] = remove { RedemptionKey.isWaiting($0.key) && $0.offerId == redemption.offerId }
        }
        return places
    }

    private mutating func remove(where isMeant: (Row) -> Bool) -> FeedPlace? {
        rows.firstIndex(where: isMeant).map { rows.remove(at: $0).place }
    }
}
