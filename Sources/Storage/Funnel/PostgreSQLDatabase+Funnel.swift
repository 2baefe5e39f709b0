public import Offers

extension PostgreSQLDatabase: OfferCountStore {
    private static let addMany = PostgreSQLStatement(
        sql: """
            INSERT INTO offer_counts (\(FunnelSQL.columns))
            SELECT * FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                $8::int8[])
            """ + FunnelSQL.adding
    )

    func add(_ counts: [CountedDecision: Int], on day: Int64) throws(StorageFailure) {
        let sorted = counts.sorted { CountedDecision.isBefore($0.key, $1.key) }
        let call = Self.addMany(
            .integers(sorted.map { _ in day }),
            .texts(sorted.map(\.key.bundleId)),
            .texts(sorted.map(\.key.offer.productId)),
            .texts(sorted.map(\.key.offer.offerId)),
            .texts(sorted.map(\.key.environmentName)),
            .texts(sorted.map(\.key.call.rawValue)),
            .texts(sorted.map(\.key.reason.rawValue)),
            .integers(sorted.map { Int64($0.value) })
        )
        // Added twice it would count twice.
        _ = try workWaiting(isRepeatable: false) { connection throws(PostgreSQLError) in
            try connection.run(call).changes
        }
    }
}

extension PostgreSQLDatabase: FunnelArchive {
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
        return try workWaiting { connection throws(PostgreSQLError) in
            let (name, alternative) = (PostgreSQLValue.text(question.environment), question.alternative)
            let days = [PostgreSQLValue.integer(question.days.0), .integer(question.days.1)]
            let times = [PostgreSQLValue.integer(question.times.0), .integer(question.times.1)]
            let calls = [
                (FunnelSQL.decisions, days + [name, .text(alternative)]),
                (FunnelSQL.signatures, times + [name, .text(alternative)]), (FunnelSQL.redemptions, times + [name]),
            ]
            let answers = try connection.run(calls.map { PostgreSQLCall($0, $1) })
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
                let count = Int(try answers[2].integer(row, 7))
                figures.redemptions[try answers[2].redemptions(row), default: 0].add(saturating: count)
            }
            return figures
        }
    }
}

extension PostgreSQLRows {
    /// The offer that the first three columns name.
    fileprivate func offer(_ row: Int) throws(PostgreSQLError) -> FunnelFigures.Offer {
        FunnelFigures.Offer(
            bundleId: try text(row, 0),
            request: OfferRequest(productId: try text(row, 1), offerId: try text(row, 2))
        )
    }

    fileprivate func redemptions(_ row: Int) throws(PostgreSQLError) -> FunnelFigures.Redemptions {
        var price: PaidPrice?
        if let milliunits = try optionalInteger(row, 3), let currency = try optionalText(row, 4) {
            price = PaidPrice(milliunits: milliunits, currency: currency)
        }
        return FunnelFigures.Redemptions(
            offer: try offer(row),
            price: price,
            storefront: try optionalText(row, 5),
            isSignedHere: try integer(row, 6) == 1
        )
    }
}
