package import Offers

extension SQLDatabase {
    /// The sums of decisions, signatures and redemptions that a funnel shows.
    package func funnelFigures(
        of period: FunnelPeriod,
        in environment: AppStoreEnvironment
    ) throws(StorageFailure) -> FunnelFigures {
        let days: [SQLValue] = [
            .integer(period.start.map(FunnelPeriod.day) ?? .min), .integer(period.end.map(FunnelPeriod.day) ?? .max),
        ]
        let times: [SQLValue] = [
            .integer(period.start?.millisecondsSince1970 ?? .min), .integer(period.end?.millisecondsSince1970 ?? .max),
        ]
        let name = SQLValue.text(environment.rawValue)
        // What names no environment counts for production.
        let alternative = SQLValue.text(environment == .production ? "" : environment.rawValue)
        return try read { session throws(StorageFailure) in
            let answers = try session.run([
                SQLCall(FunnelSQL.decisions, days + [name, alternative]),
                SQLCall(FunnelSQL.signatures, times + [name, alternative]),
                SQLCall(FunnelSQL.redemptions, times + [name]),
            ])
            var figures = FunnelFigures()
            for row in answers[0].rows {
                figures.addDecisions(
                    try answers[0].offer(row),
                    call: try answers[0].text(row, 3),
                    reason: try answers[0].text(row, 4),
                    try answers[0].integer(row, 5)
                )
            }
            for row in answers[1].rows {
                figures.signatures[try answers[1].offer(row)] = Int(try answers[1].integer(row, 3))
            }
            for row in answers[2].rows {
                let count = Int(try answers[2].integer(row, 8))
                figures.redemptions[try answers[2].redemptions(row), default: 0].add(saturating: count)
            }
            return figures
        }
    }
}

extension Rows {
    /// The offer that three columns name, from one on.
    func offer(_ row: Int, from column: Int = 0) throws(StorageFailure) -> FunnelFigures.Offer {
        FunnelFigures.Offer(
            bundleId: try text(row, column),
            request: OfferRequest(productId: try text(row, column + 1), offerId: try text(row, column + 2))
        )
    }

    fileprivate func redemptions(_ row: Int) throws(StorageFailure) -> FunnelFigures.Redemptions {
        FunnelFigures.Redemptions(
            offer: try offer(row),
            price: try price(row, from: 3),
            storefront: try optionalText(row, 5),
            isSignedHere: try integer(row, 6) == 1,
            isGivenByApple: try integer(row, 7) == 1
        )
    }
}

extension FunnelFigures {
    /// Takes a row of decisions; what a newer version counted by another name is left out.
    mutating func addDecisions(_ offer: Offer, call: String, reason: String, _ count: Int64) {
        guard let call = DecisionCall(rawValue: call), let reason = Reason(rawValue: reason) else { return }
        decisions[Decisions(offer: offer, call: call, reason: reason), default: 0].add(saturating: Int(count))
    }
}

/// The SQL of counted decisions and of funnels, plain for SQLite and PostgreSQL alike.
enum FunnelSQL {
    private static let columns = "day, bundle_id, product_id, offer_id, environment, call, reason, total"

    static let add =
        "INSERT INTO offer_counts (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
        + "ON CONFLICT (day, bundle_id, product_id, offer_id, environment, call, reason) "
        + "DO UPDATE SET total = offer_counts.total + excluded.total"

    /// Decisions of days; what names no environment counts for the one that is asked for second.
    static let decisions =
        "SELECT bundle_id, product_id, offer_id, call, reason, CAST(SUM(total) AS BIGINT) AS total FROM offer_counts "
        + "WHERE day >= $1 AND day < $2 AND (environment = $3 OR environment = $4) "
        + "GROUP BY bundle_id, product_id, offer_id, call, reason"

    /// Signatures of promotional offers; introductory ones have no offer.
    static let signatures =
        "SELECT bundle_id, product_id, offer_id, COUNT(*) AS total FROM ledger_records WHERE time >= $1 AND time < $2 "
        + "AND (COALESCE(environment, '') = $3 OR COALESCE(environment, '') = $4) AND offer_id <> '' "
        + "GROUP BY bundle_id, product_id, offer_id"

    static let redemptions =
        "SELECT bundle_id, product_id, offer_id, price, currency, storefront, "
        + "CAST(CASE WHEN signed_writer IS NULL THEN 0 ELSE 1 END AS BIGINT) AS is_signed, "
        + "CAST(CASE WHEN \(isGivenByApple) THEN 1 ELSE 0 END AS BIGINT) AS is_given, COUNT(*) AS total "
        + "FROM redemptions WHERE redeemed_at >= $1 AND redeemed_at < $2 AND environment = $3 "
        + "GROUP BY bundle_id, product_id, offer_id, price, currency, storefront, is_signed, is_given"

    /// Of redemptions: a retention offer for which the ledger has no signature.
    static let isGivenByApple = "redemptions.signed_writer IS NULL AND redemptions.is_retention = 1"
}
