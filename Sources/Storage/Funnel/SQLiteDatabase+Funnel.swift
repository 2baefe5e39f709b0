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
                figures.addDecisions(
                    try row.offer(),
                    call: try row.value("call"),
                    reason: try row.value("reason"),
                    try row.value("total")
                )
            }
            let signatures = try Row.fetchCursor(
                database,
                sql: FunnelSQL.signatures,
                arguments: [question.times.0, question.times.1, question.environment, question.alternative]
            )
            while let row = try signatures.next() { figures.signatures[try row.offer()] = try row.value("total") }
            let redemptions = try Row.fetchCursor(
                database,
                sql: FunnelSQL.redemptions,
                arguments: [question.times.0, question.times.1, question.environment]
            )
            while let row = try redemptions.next() {
                let milliunits: Int64? = try row.optional("price")
                let currency: String? = try row.optional("currency")
                let found = FunnelFigures.Redemptions(
                    offer: try row.offer(),
                    price: milliunits.flatMap { amount in
                        currency.map { PaidPrice(milliunits: amount, currency: $0) }
                    },
                    storefront: try row.optional("storefront"),
                    isSignedHere: try row.value("is_signed", Int64.self) == 1
                )
                figures.redemptions[found, default: 0].add(saturating: try row.value("total"))
            }
            return figures
        }
    }
}

extension Row {
    /// The offer that three of the columns name.
    fileprivate func offer() throws -> FunnelFigures.Offer {
        FunnelFigures.Offer(
            bundleId: try value("bundle_id"),
            request: OfferRequest(productId: try value("product_id"), offerId: try value("offer_id"))
        )
    }
}
