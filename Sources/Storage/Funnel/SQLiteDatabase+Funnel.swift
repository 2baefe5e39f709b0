import GRDB
public import Offers

extension SQLiteDatabase: OfferCountStore {
    func add(_ counts: [CountedDecision: Int], on day: Int64) throws(StorageFailure) {
        try write { database in
            let statement = try database.cachedStatement(sql: FunnelSQL.add)
            for (decision, count) in counts {
                try statement.execute(
                    arguments: [
                        day, decision.bundleId, decision.offer.productId, decision.offer.offerId,
                        decision.environmentName, decision.call.rawValue, decision.reason.rawValue, count,
                    ]
                )
            }
        }
    }
}

extension SQLiteDatabase: FunnelArchive {
    /// What is on record of offers.
    ///
    /// - Parameters:
    ///   - period: The days.
    ///   - environment: The environment of evidence and purchases; what names none counts for production.
    /// - Returns: The sums.
    /// - Throws: ``StorageFailure``.
    public func funnelFigures(
        of period: FunnelPeriod,
        in environment: AppStoreEnvironment
    ) throws(StorageFailure) -> FunnelFigures {
        let question = FunnelQuestion(period, environment)
        return try read { database in
            var figures = FunnelFigures()
            let decisions = try Row.fetchCursor(
                database,
                sql: FunnelSQL.decisions,
                arguments: [question.days.0, question.days.1, question.environment, question.alternative]
            )
            while let row = try decisions.next() {
                figures.addDecisions(row.offer, call: row[3], reason: row[4], row[5])
            }
            let signatures = try Row.fetchCursor(
                database,
                sql: FunnelSQL.signatures,
                arguments: [question.times.0, question.times.1, question.environment, question.alternative]
            )
            while let row = try signatures.next() { figures.signatures[row.offer] = row[3] }
            let redemptions = try Row.fetchCursor(
                database,
                sql: FunnelSQL.redemptions,
                arguments: [question.times.0, question.times.1, question.environment]
            )
            while let row = try redemptions.next() {
                let milliunits: Int64? = row[3]
                let currency: String? = row[4]
                let found = FunnelFigures.Redemptions(
                    offer: row.offer,
                    price: milliunits.flatMap { amount in
                        currency.map { PaidPrice(milliunits: amount, currency: $0) }
                    },
                    storefront: row[5],
                    isSignedHere: row[6] == 1
                )
                figures.redemptions[found, default: 0] += row[7]
            }
            return figures
        }
    }
}

extension Row {
    /// The offer that the first three columns name.
    fileprivate var offer: FunnelFigures.Offer {
        FunnelFigures.Offer(bundleId: self[0], request: OfferRequest(productId: self[1], offerId: self[2]))
    }
}
